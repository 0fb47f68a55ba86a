import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { DevServerError, errorCode } from './dev-server-error.js';
import type { ProcessEnd } from './process-end.js';

export interface ServerCommand {
  program: string;
  arguments: string[];
  /** The account to run as, where it is not our own. */
  uid?: number;
  environment?: Record<string, string>;
  /** A line of the server's log which says that it serves. */
  readyLine: RegExp;
  /** Takes every line that the server writes. */
  report?: (line: string) => void;
}

export interface ServerProcess {
  pid: number;
  /** Settles once the process is gone, for whatever reason. */
  ended: Promise<ProcessEnd>;
  /** What the log says from this match on, in the last line that has one. */
  lastLine(match: RegExp): string | undefined;
  stop(): Promise<void>;
}

export class ServerEndedEarly extends Error {
  readonly log: string;

  constructor(log: string) {
    super(`the server ended before it was ready: ${log}`);
    this.log = log;
  }
}

const retainedLines = 30;
const timeoutMs = 20_000;
const running = new Set<ChildProcess>();
let watchesExit = false;

/** Starts a server as the leader of its own process group, so that Ctrl-C in the terminal reaches only its launcher, and waits until it serves. */
export async function launchServer(command: ServerCommand): Promise<ServerProcess> {
  const child = spawn(command.program, command.arguments, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: command.environment ?? {},
    cwd: '/',
    ...(command.uid === undefined ? {} : { uid: command.uid, gid: command.uid }),
  });
  const log: string[] = [];
  const ended = new Promise<ProcessEnd>((resolve) => {
    const end = (code: number | null, signal: NodeJS.Signals | null) => resolve({ code, signal });
    child.once('close', end).once('error', () => end(null, null));
  });
  stopWithUs(child, ended);
  await ready(child, log, command);
  return {
    pid: child.pid as number,
    ended,
    lastLine: (match) => {
      const line = log.findLast((each) => match.test(each));
      return line?.slice(line.search(match));
    },
    stop: () => stop(child, ended),
  };
}

function ready(child: ChildProcess, log: string[], { readyLine, report }: ServerCommand): Promise<void> {
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        log.push(line);
        if (log.length > retainedLines) log.shift();
        report?.(line);
        if (readyLine.test(line)) resolve();
      });
    }
    child.once('error', (error) =>
      reject(new DevServerError(`${child.spawnfile} cannot be run (${errorCode(error)}).`)),
    );
    child.once('close', () => reject(new ServerEndedEarly(log.join('\n'))));
  });
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  const insist = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  child.kill('SIGINT');
  await ended;
  clearTimeout(insist);
}

/** A launcher that ends without `stop()` (an uncaught error) must not leave its servers behind. */
function stopWithUs(child: ChildProcess, ended: Promise<unknown>): void {
  running.add(child);
  void ended.then(() => running.delete(child));
  if (watchesExit) return;
  watchesExit = true;
  process.on('exit', () => {
    for (const server of running) server.kill('SIGINT');
  });
}
