import { type Transferable, Worker } from 'node:worker_threads';
import { JobFailed, type Answer, type Begin } from './worker-jobs.js';

export interface WorkerPoolOptions<Job> {
  /** The file that the threads run; it calls `answerJobs`. */
  module: string;
  threads: number;
  /** Time limit; the thread of a job that exceeds it is terminated. */
  jobMs?: number;
  limits?: WorkerLimits;
  transferOf?: (job: Job) => Transferable[];
}

export class JobAbandoned extends Error {
  override readonly name = 'JobAbandoned';

  constructor(
    reason: string,
    /** A limit or a crash ended the thread while it worked on this job. False at shutdown, and where the job in work is not known. */
    readonly endedItsThread = false,
  ) {
    super(reason);
  }
}

interface JobBatch<Job, Result> {
  jobs: Job[];
  answers: (Result | Error | undefined)[];
  spentMs: number;
  done: (answers: (Result | Error)[]) => void;
}

/** What a batch took in its threads, without their start. */
export type Measured = (ms: number) => void;

const defaultMs = 500;
const defaultLimits: WorkerLimits = { heapMb: 64 };

/** An endless loop or excessive memory costs that job and its thread, never the service; the other jobs continue on a new thread. */
export class WorkerPool<Job, Result> {
  private readonly waiting: JobBatch<Job, Result>[] = [];
  private readonly idle: WorkerThread<Job, Result>[] = [];
  private readonly threads = new Set<WorkerThread<Job, Result>>();
  private closed = false;

  constructor(private readonly options: WorkerPoolOptions<Job>) {}

  /** Results in the order of the jobs; an error where one failed. One batch runs on one thread, in sequence. */
  run(jobs: Job[], measured?: Measured): Promise<(Result | Error)[]> {
    if (jobs.length === 0) return Promise.resolve([]);
    if (this.closed) return Promise.resolve(jobs.map(() => new JobAbandoned('the service is ending')));
    return new Promise((resolve) => {
      const done = (answers: (Result | Error)[]) => {
        measured?.(batch.spentMs);
        resolve(answers);
      };
      const batch: JobBatch<Job, Result> = { jobs, answers: jobs.map(() => undefined), spentMs: 0, done };
      this.waiting.push(batch);
      this.next();
    });
  }

  /** Starts a thread before there is a job for it: loading what it runs takes most of a second. */
  warmUp(): void {
    const thread = this.closed || this.threads.size > 0 ? undefined : this.begin();
    if (thread) this.idle.push(thread);
  }

  get size(): number {
    return this.threads.size;
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const { answers, done } of this.waiting.splice(0))
      done(answers.map((answer) => answer ?? new JobAbandoned('the service is ending')));
    await Promise.all([...this.threads].map((thread) => thread.end()));
  }

  private next(): void {
    const thread = this.waiting.length > 0 ? (this.idleThread() ?? this.begin()) : undefined;
    const batch = thread && this.waiting.shift();
    if (thread && batch) void this.work(thread, batch);
  }

  private idleThread(): WorkerThread<Job, Result> | undefined {
    const thread = this.idle.pop();
    if (!thread?.isGone) return thread;
    this.threads.delete(thread);
    return this.idleThread();
  }

  private begin(): WorkerThread<Job, Result> | undefined {
    const { module, threads, jobMs = defaultMs, limits = defaultLimits, transferOf } = this.options;
    if (this.threads.size >= threads) return undefined;
    const thread = new WorkerThread<Job, Result>({ module, jobMs, limits, transferOf });
    this.threads.add(thread);
    return thread;
  }

  private async work(thread: WorkerThread<Job, Result>, batch: JobBatch<Job, Result>): Promise<void> {
    const open = batch.answers.flatMap((answer, index) => (answer === undefined ? [index] : []));
    const lost = await thread.run(
      open.map((index) => batch.jobs[index]!),
      (index, answer, ms) => {
        batch.answers[open[index]!] ??= answer;
        batch.spentMs += ms;
      },
    );
    if (lost) {
      this.threads.delete(thread);
      this.giveUp(batch, open, lost);
    } else {
      this.idle.push(thread);
    }
    if (batch.answers.includes(undefined)) this.waiting.unshift(batch);
    else batch.done(batch.answers as (Result | Error)[]);
    this.next();
  }

  /** The job that crashed a thread is not retried; where it is unknown which one it was, none of the batch is. */
  private giveUp(batch: JobBatch<Job, Result>, open: number[], { reason, index }: WorkerLost): void {
    const { jobMs = defaultMs } = this.options;
    if (index !== null) batch.spentMs += jobMs;
    const abandoned = index === null || this.closed ? open : [open[index]!];
    for (const position of abandoned)
      batch.answers[position] ??= new JobAbandoned(reason, index !== null && !this.closed);
  }
}

interface WorkerLimits {
  heapMb: number;
}

interface WorkerThreadOptions<Job> {
  module: string;
  jobMs: number;
  limits: WorkerLimits;
  transferOf?: (job: Job) => Transferable[];
}

interface WorkerLost {
  reason: string;
  index: number | null;
}

/** Shared counter: twice the number of finished jobs, plus one while a job runs, since a thread in a loop cannot send a message. */
const isJobRunning = (counter: number): boolean => counter % 2 === 1;
const checksPerJob = 5;
const youngMb = 8;

class WorkerThread<Job, Result> {
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
