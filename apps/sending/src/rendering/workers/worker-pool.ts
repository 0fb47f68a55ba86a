import type { Transferable } from 'node:worker_threads';
import { WorkerThread, type WorkerLimits, type WorkerLost } from './worker-thread.js';

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
