import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const own = dirname(fileURLToPath(import.meta.url));

/** A process of the bench: a service, a reference, or the host of all. */
export class Process {
  output = '';
  readonly startedAt = performance.now();

  private constructor(readonly child: ChildProcess) {
    child.stdout?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
  }

  static run(file: string, environment: Record<string, string>): Process {
    const path = join(file.startsWith('apps/') ? dist : own, file);
    return new Process(spawn(process.execPath, [path], { env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'inherit'] }));
  }

  async untilSays(words: string): Promise<number> {
    while (!this.output.includes(words)) {
      if (this.child.exitCode !== null) throw new Error(`the process ended: ${this.output}`);
      await once(this.child.stdout!, 'data');
    }
    return (performance.now() - this.startedAt) / 1_000;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
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

export interface SinkProcess {
  url: string;
  /** Messages a second from the first to the last of the next `count`. */
  measure(count: number): Promise<number>;
  stop(): void;
}

export async function startSink(): Promise<SinkProcess> {
  const child = fork(join(own, 'sink-process.js'));
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  return {
    url,
    measure: async (count) => {
      child.send(count);
      const [{ ms }] = (await once(child, 'message')) as [{ ms: number }];
      return (count / ms) * 1_000;
    },
    stop: () => child.kill(),
  };
}
