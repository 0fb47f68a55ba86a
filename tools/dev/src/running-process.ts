import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { DevServerError, errorCode } from './dev-server-error.js';

export interface RunningProcess {
  pid: number;
  arguments: string[];
  /** Tells a process from a later one that was given the same id. */
  startedAt: string;
}

/** The process of this id, or null when there is none (or only a zombie, which holds nothing any more). */
export function runningProcess(pid: number): RunningProcess | null {
  if (!Number.isInteger(pid) || pid <= 0) return null;
  return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
}

function fromProc(pid: number): RunningProcess | null {
  try {
    // The second field is the program's name in brackets and may itself hold spaces and brackets.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    if (stat[0] === 'Z' || stat[0] === 'X') return null;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return { pid, arguments: commandLine.split('\0').slice(0, -1), startedAt: `${boot}/${stat[19]}` };
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ESRCH') return null;
    throw error;
  }
}

function fromPs(pid: number): RunningProcess | null {
  try {
    const line = execFileSync('ps', ['-ww', '-o', 'lstart=,command=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return { pid, startedAt: line.slice(0, 24), arguments: line.slice(24).trim().split(' ') };
  } catch {
    return null;
  }
}

/** Stops a process that another launcher left behind: asks with SIGINT, insists after a while. */
export async function stopLeftBehind(orphan: RunningProcess, what: string): Promise<void> {
  signal(orphan, 'SIGINT', what);
  // One that was halted hears nothing until it goes on.
  signal(orphan, 'SIGCONT', what);
  if (await hasEnded(orphan, 15_000)) return;
  signal(orphan, 'SIGKILL', what);
  if (await hasEnded(orphan, 5_000)) return;
  throw new DevServerError(
    `${what} of an earlier start (process ${orphan.pid}) does not end. Stop it by hand: kill -9 ${orphan.pid}`,
  );
}

function signal(target: RunningProcess, name: NodeJS.Signals, what: string): void {
  try {
    process.kill(target.pid, name);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return;
    throw new DevServerError(
      `${what} of an earlier start (process ${target.pid}) belongs to another user. Stop it first: sudo kill ${target.pid}`,
    );
  }
}

/** Polls, because the end of a process that is not our child raises no event. */
async function hasEnded(target: RunningProcess, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline) {
    if (runningProcess(target.pid)?.startedAt !== target.startedAt) return true;
    await delay(10);
  }
  return false;
}
