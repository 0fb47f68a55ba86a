import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Urls {
  healthy: string[];
  /** They never answer. */
  hanging: string[];
}

export interface Arrived {
  /** From the first call to the last. */
  ms: number;
  requests: number;
  /** Of the last one. */
  body: string;
}

const timeoutMs = 600_000;
const file = join(dirname(fileURLToPath(import.meta.url)), 'receiver-process.js');

export class Receivers {
  private constructor(
    private readonly child: ChildProcess,
    readonly urls: Urls,
  ) {}

  static async open(healthy: number, hanging = 0): Promise<Receivers> {
    const child = fork(file, [String(healthy), String(hanging)]);
    const [urls] = (await once(child, 'message')) as [Urls];
    return new Receivers(child, urls);
  }

  /** Of so many calls at healthy endpoints, from now on. */
  async arrivals(count: number): Promise<Arrived> {
    this.child.send({ count });
    const [arrived] = (await once(this.child, 'message', { signal: AbortSignal.timeout(timeoutMs) })) as [
      Arrived,
    ];
    return arrived;
  }

  /** Whoever waits for an answer sees the end of the connection. */
  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}
