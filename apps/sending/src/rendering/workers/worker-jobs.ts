import { parentPort, workerData, type Transferable } from 'node:worker_threads';

export interface Begin {
  progress: Int32Array;
}

export interface Failure {
  name: string;
  message: string;
  details: Record<string, unknown>;
}

export interface Answer<Result> {
  index: number;
  /** Time that the job took, without starting a thread and without waiting for it. */
  ms: number;
  result?: Result;
  failure?: Failure;
}

export class JobFailed extends Error {
  override readonly name = 'JobFailed';
  readonly thrown: string;
  readonly details: Record<string, unknown>;

  constructor({ name, message, details }: Failure) {
    super(message);
    this.thrown = name;
    this.details = details;
  }
}

/** Call in a thread of a WorkerPool. Results named by `transferOf` are moved instead of copied. */
export function answerJobs<Job, Result>(
  work: (job: Job) => Result | Promise<Result>,
  transferOf?: (result: Result) => Transferable[],
): void {
  const { progress } = workerData as Begin;
  const answer = async (job: Job, index: number): Promise<void> => {
    Atomics.store(progress, 0, 2 * index + 1);
    const began = performance.now();
    const tookMs = () => performance.now() - began;
    try {
      const result = await work(job);
      parentPort!.postMessage(
        { index, ms: tookMs(), result } satisfies Answer<Result>,
        transferOf?.(result) ?? [],
      );
    } catch (error) {
      parentPort!.postMessage({ index, ms: tookMs(), failure: failureOf(error) } satisfies Answer<Result>);
    }
    Atomics.store(progress, 0, 2 * index + 2);
  };
  parentPort!.on('message', (jobs: Job[]) => {
    void jobs.reduce(async (before, job, index) => {
      await before;
      return answer(job, index);
    }, Promise.resolve());
  });
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), details: {} };
  const { name, message, ...details } = error;
  return {
    name: error.name,
    message: error.message,
    details: JSON.parse(JSON.stringify(details)) as Record<string, unknown>,
  };
}

/** Tests run from TypeScript sources, but threads need the built file. */
export function workerModule(from: string, name: string): string {
  const path = new URL(name, from).pathname;
  if (!from.endsWith('.ts')) return path;
  const root = path.lastIndexOf('/apps/');
  return `${path.slice(0, root)}/dist${path.slice(root)}`;
}
