import { parentPort, workerData, type Transferable } from 'node:worker_threads';

export interface Begin {
  progress: Int32Array;
}

export interface Failure {
  name: string;
  message: string;
  /** What else the error says, such as a line. */
  details: Record<string, unknown>;
}

export interface Answer<Result> {
  index: number;
  result?: Result;
  failure?: Failure;
}

/** What a job threw, on its way from another thread. */
export class JobFailed extends Error {
  override readonly name = 'JobFailed';
  /** The name of the error that was thrown. */
  readonly thrown: string;
  readonly details: Record<string, unknown>;

  constructor({ name, message, details }: Failure) {
    super(message);
    this.thrown = name;
    this.details = details;
  }
}

/** In a thread of a WorkerPool: answers each job by a pure function. What `transferOf` names is moved, not copied. */
export function answerJobs<Job, Result>(
  work: (job: Job) => Result | Promise<Result>,
  transferOf?: (result: Result) => Transferable[],
): void {
  const { progress } = workerData as Begin;
  const answer = async (job: Job, index: number): Promise<void> => {
    Atomics.store(progress, 0, 2 * index + 1);
    try {
      const result = await work(job);
      parentPort!.postMessage({ index, result } satisfies Answer<Result>, transferOf?.(result) ?? []);
    } catch (error) {
      parentPort!.postMessage({ index, failure: failureOf(error) } satisfies Answer<Result>);
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

/** Tests run sources, threads run what is built from them. */
export function workerModule(from: string, name: string): string {
  const path = new URL(name, from).pathname;
  if (!from.endsWith('.ts')) return path;
  const root = path.lastIndexOf('/apps/');
  return `${path.slice(0, root)}/dist${path.slice(root)}`;
}
