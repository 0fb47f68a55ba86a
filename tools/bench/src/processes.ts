import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const own = dirname(fileURLToPath(import.meta.url));

/** Far more than any start or end takes: what is stuck fails the bench and does not hold it. */
const timeoutMs = 120_000;
const hostFile = 'apps/all-in-one/src/main.js';

/** Those that `npm start` gives to Node, and why they are there: docs/decisions/0010. */
function hostFlags(): string[] {
  const { scripts } = JSON.parse(readFileSync(resolve(dist, '../package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  return [...scripts.start.matchAll(/ (--\S+)/g)].map((match) => match[1]!);
}

/** A process of the bench: a service, a reference, or the host of all. */
export class Process {
  output = '';
  readonly startedAt = performance.now();

  private constructor(readonly child: ChildProcess) {
    child.stdout?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
  }

  static run(file: string, environment: Record<string, string>): Process {
    const command = file === hostFile ? [...hostFlags(), join(dist, file)] : [join(own, file)];
    return new Process(
      spawn(process.execPath, command, {
        env: { ...process.env, ...environment },
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    );
  }

  async untilOutput(texts: string): Promise<number> {
    const signal = AbortSignal.timeout(timeoutMs);
    const ended = once(this.child, 'exit', { signal }).catch(() => undefined);
    while (!this.output.includes(texts)) {
      if (this.hasEnded || signal.aborted)
        throw new Error(`the process never said "${texts}": ${this.output}`);
      await Promise.race([once(this.child.stdout!, 'data', { signal }).catch(() => undefined), ended]);
    }
    return (performance.now() - this.startedAt) / 1_000;
  }

  async stop(): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.child, 'exit', { signal: AbortSignal.timeout(timeoutMs) });
    this.child.kill('SIGTERM');
    await ended.catch(() => {
      this.child.kill('SIGKILL');
      throw new Error(`the process did not end within ${timeoutMs / 1_000} s of SIGTERM: ${this.output}`);
    });
  }

  private get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
}

export async function untilAnswers(url: string): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    const ok = await fetch(url).then(
      ({ ok: good }) => good,
      () => false,
    );
    if (ok) return;
    await new Promise((next) => setTimeout(next, 50));
  }
  throw new Error(`${url} does not answer`);
}

interface SinkCommand {
  url?: string;
  arrived?: string;
  ms?: number;
}

/** The mail server of the bench, in a process of its own. */
export class SinkProcess {
  private readonly listeners = new Set<(text: SinkCommand) => void>();

  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {
    child.on('message', (text: SinkCommand) => {
      for (const listener of [...this.listeners]) listener(text);
    });
  }

  static async start(): Promise<SinkProcess> {
    const child = fork(join(own, 'sink-process.js'));
    const [{ url }] = (await once(child, 'message')) as [{ url: string }];
    return new SinkProcess(child, url);
  }

  /** Messages a second over the next `count` after the first `skipped`. */
  async measure(count: number, skipped = 0): Promise<number> {
    this.child.send({ count, skipped });
    const { ms } = await this.listen(({ ms: took }) => took !== undefined);
    return (count / ms!) * 1_000;
  }

  /** Until mail to this watched address is there. */
  async arrival(to: string): Promise<void> {
    await this.listen(({ arrived }) => arrived === to);
  }

  stop(): void {
    this.child.kill();
  }

  private listen(wanted: (text: SinkCommand) => boolean): Promise<SinkCommand> {
    return new Promise((resolve) => {
      const listener = (text: SinkCommand) => {
        if (!wanted(text)) return;
        this.listeners.delete(listener);
        resolve(text);
      };
      this.listeners.add(listener);
    });
  }
}

/** Proportional set size where the kernel tells it: shared pages count once. */
export function residentMegabytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1_024;
}

const ticksPerSecond = 100;

/** In user and kernel mode, since its start. */
export function cpuSeconds(pid: number): number {
  return timesOf(pid).own;
}

/** Of a process, of its children that run and of those that have ended: of all of Postgres, when asked by a backend's number. */
export function cpuSecondsOfParent(childPid: number): number {
  const { parent } = timesOf(childPid);
  const { own, ended } = timesOf(parent);
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return children.reduce((sum, pid) => {
    try {
      const times = timesOf(Number(pid));
      return times.parent === parent ? sum + times.own : sum;
    } catch {
      // It has ended since the list was made, and is counted the next time.
      return sum;
    }
  }, own + ended);
}

function timesOf(pid: number): { parent: number; own: number; ended: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').map(Number);
  const seconds = (first: number) => (fields[first]! + fields[first + 1]!) / ticksPerSecond;
  return { parent: fields[1]!, own: seconds(11), ended: seconds(13) };
}

/** The most that there is from now until it is stopped. */
export function watchMost(look: () => number, everyMs = 50): { stop: () => number } {
  let most = look();
  const timer = setInterval(() => (most = Math.max(most, look())), everyMs);
  return {
    stop: () => {
      clearInterval(timer);
      return Math.max(most, look());
    },
  };
}
