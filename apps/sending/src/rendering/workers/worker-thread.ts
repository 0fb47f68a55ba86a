import { Worker, type Transferable } from 'node:worker_threads';
import { JobFailed, type Answer, type Begin } from './worker-jobs.js';

export interface WorkerLimits {
  heapMb: number;
}

export interface WorkerThreadOptions<Job> {
  module: string;
  jobMs: number;
  limits: WorkerLimits;
  transferOf?: (job: Job) => Transferable[];
}

export interface WorkerLost {
  reason: string;
  index: number | null;
}

/** Shared counter: twice the number of finished jobs, plus one while a job runs, since a thread in a loop cannot send a message. */
const isJobRunning = (counter: number): boolean => counter % 2 === 1;
const checksPerJob = 5;
const youngMb = 8;

export class WorkerThread<Job, Result> {
  private readonly worker: Worker;
  private readonly progress = new Int32Array(new SharedArrayBuffer(4));
  private readonly gone: Promise<void>;
  private lost: WorkerLost | null = null;
  private seen = { counter: 0, at: 0 };

  constructor(private readonly options: WorkerThreadOptions<Job>) {
    const begin: Begin = { progress: this.progress };
    this.worker = new Worker(options.module, {
      workerData: begin,
      env: {},
      // With a large young generation V8 may exceed the old one within one collection, which would end the process.
      resourceLimits: { maxOldGenerationSizeMb: options.limits.heapMb, maxYoungGenerationSizeMb: youngMb },
    });
    this.worker.on('error', (error) => this.lose(reasonOf(error)));
    this.gone = new Promise((resolve) =>
      this.worker.once('exit', () => resolve(this.lose('ended its thread'))),
    );
    this.worker.unref();
  }

  async run(
    jobs: Job[],
    answered: (index: number, answer: Result | Error, ms: number) => void,
  ): Promise<WorkerLost | null> {
    this.worker.ref();
    let open = jobs.length;
    const watch = setInterval(() => this.endIfStuck(), this.options.jobMs / checksPerJob);
    await new Promise<void>((resolve) => {
      this.worker.on('message', ({ index, ms, result, failure }: Answer<Result>) => {
        answered(index, failure ? new JobFailed(failure) : (result as Result), ms);
        if ((open -= 1) === 0) resolve();
      });
      void this.gone.then(resolve);
      Atomics.store(this.progress, 0, 0);
      this.seen = { counter: 0, at: 0 };
      const { transferOf } = this.options;
      this.worker.postMessage(jobs, transferOf ? jobs.flatMap(transferOf) : []);
    });
    clearInterval(watch);
    this.worker.removeAllListeners('message');
    this.worker.unref();
    return this.lost;
  }

  get isGone(): boolean {
    return this.lost !== null;
  }

  async end(): Promise<void> {
    this.lose('the service is ending');
    await this.worker.terminate();
  }

  /** A job that is the same at two checks has run for the time between them, even if the checks are late. */
  private endIfStuck(): void {
    const counter = Atomics.load(this.progress, 0);
    const now = performance.now();
    if (!isJobRunning(counter) || counter !== this.seen.counter) this.seen = { counter, at: now };
    else if (now - this.seen.at >= this.options.jobMs) {
      this.lose(`took longer than ${this.options.jobMs} ms`);
      void this.worker.terminate();
    }
  }

  private lose(reason: string): void {
    const counter = Atomics.load(this.progress, 0);
    this.lost ??= { reason, index: isJobRunning(counter) ? counter >> 1 : null };
  }
}

const reasonOf = (error: unknown): string =>
  (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? 'took too much memory'
    : `broke its thread: ${String(error)}`;
