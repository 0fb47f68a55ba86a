import { WaitLimit, tooManyWaiting } from '@posthorn/platform';
import { JobAbandoned, type WorkerPool } from './worker-pool.js';

export interface FairJobsOptions<Job, Result> {
  pool: Pick<WorkerPool<Job, Result>, 'run'>;
  threads: number;
  /** Jobs of a project that take longer than this on average are slow. */
  slowMs?: number;
  /** Where users wait for the jobs; without it none is refused. */
  bound?: {
    /** What it is that waits, in the plural, for the error text. */
    what: string;
    waitingPerProject: number;
  };
}

interface WaitingJob<Job, Result> {
  projectId: string;
  job: Job;
  waitLimit: WaitLimit;
  done: (answer: Result | Error) => void;
  refuse: (error: Error) => void;
}

const defaultSlowMs = 20;
/** How long one batch may keep a thread, unless a single job takes longer. */
const batchMs = 100;
const maxBatch = 20;
const maxKnown = 10_000;

// Projects take turns; those whose jobs are slow never use the last thread; and the first job of an unknown
// project runs alone, to measure it. What could only begin after its caller gave up never does.
export class FairJobs<Job, Result> {
  private readonly waiting = new Map<string, WaitingJob<Job, Result>[]>();
  /** Milliseconds per job, the most recent measurements; null while the first one is under way. */
  private readonly costs = new Map<string, number | null>();
  private running = 0;
  private slowRunning = 0;
  /** After a quick batch a slow one is next, so that neither waits for ever. */
  private lastWasQuick = false;
  private isScheduled = false;

  private readonly slowMs: number;

  constructor(private readonly options: FairJobsOptions<Job, Result>) {
    this.slowMs = options.slowMs ?? defaultSlowMs;
  }

  /** Rejects where the job is refused; `remainingMs` is the time until the caller gives up. */
  run(projectId: string, job: Job, remainingMs: number | null = null): Promise<Result | Error> {
    const queue = this.waiting.get(projectId) ?? [];
    if (queue.length >= (this.options.bound?.waitingPerProject ?? Infinity))
      return Promise.reject(this.tooMany());
    return new Promise((done, refuse) => {
      const waitLimit = new WaitLimit(remainingMs, () => this.remove(waiting));
      const waiting: WaitingJob<Job, Result> = { projectId, job, waitLimit, done, refuse };
      this.waiting.set(projectId, queue);
      queue.push(waiting);
      this.schedule();
    });
  }

  private remove(job: WaitingJob<Job, Result>): void {
    const queue = this.waiting.get(job.projectId) ?? [];
    const index = queue.indexOf(job);
    if (index === -1) return;
    queue.splice(index, 1);
    if (queue.length === 0) this.waiting.delete(job.projectId);
    job.refuse(this.tooMany());
  }

  private tooMany(): Error {
    return tooManyWaiting(this.options.bound?.what ?? 'jobs');
  }

  /** Jobs that are requested together share batches. */
  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.next();
    });
  }

  private next(): void {
    while (this.running < this.options.threads) {
      const slowFirst = this.slowRunning === 0 && this.lastWasQuick ? this.slowBatch() : null;
      const quick = slowFirst ? null : this.quickBatch();
      const batch = slowFirst ?? quick ?? this.slowBatch();
      if (!batch) return;
      this.lastWasQuick = quick !== null;
      const due = batch.filter((job) => this.isInTime(job));
      if (due.length > 0) void this.work(due, quick === null);
    }
  }

  private isInTime({ projectId, waitLimit, refuse }: WaitingJob<Job, Result>): boolean {
    const isInTime = !waitLimit.isOver;
    waitLimit.end();
    if (isInTime) return true;
    if (this.costs.get(projectId) === null) this.costs.delete(projectId);
    refuse(this.tooMany());
    return false;
  }

  private quickBatch(): WaitingJob<Job, Result>[] | null {
    const batch: WaitingJob<Job, Result>[] = [];
    let expectedMs = 0;
    const hasRoom = () => batch.length < maxBatch && expectedMs < batchMs;
    for (let taken = -1; taken !== batch.length && hasRoom();) {
      taken = batch.length;
      for (const projectId of [...this.waiting.keys()]) {
        const cost = this.costs.get(projectId);
        if (cost === undefined && batch.length === 0) {
          this.costs.set(projectId, null);
          return [this.takeFrom(projectId)];
        }
        if (cost === undefined || cost === null || cost > this.slowMs || !hasRoom()) continue;
        batch.push(this.takeFrom(projectId));
        expectedMs += cost;
      }
    }
    return batch.length > 0 ? batch : null;
  }

  /** The last thread stays free for others, who may come at any time. */
  private slowBatch(): WaitingJob<Job, Result>[] | null {
    if (this.slowRunning >= Math.max(1, this.options.threads - 1)) return null;
    for (const [projectId, queue] of this.waiting) {
      const cost = this.costs.get(projectId);
      if (cost === undefined || cost === null || cost <= this.slowMs) continue;
      const count = Math.min(queue.length, Math.max(1, Math.floor(batchMs / cost)));
      return Array.from({ length: count }, () => this.takeFrom(projectId));
    }
    return null;
  }

  /** The project goes to the end of the turn. */
  private takeFrom(projectId: string): WaitingJob<Job, Result> {
    const queue = this.waiting.get(projectId)!;
    const job = queue.shift()!;
    this.waiting.delete(projectId);
    if (queue.length > 0) this.waiting.set(projectId, queue);
    return job;
  }

  private async work(batch: WaitingJob<Job, Result>[], isSlow: boolean): Promise<void> {
    this.running += 1;
    this.slowRunning += Number(isSlow);
    let spentMs = 0;
    const answers = await this.options.pool
      .run(
        batch.map(({ job }) => job),
        (ms) => (spentMs = ms),
      )
      .catch((error: Error) => batch.map(() => new JobAbandoned(error.message)));
    const cost = spentMs / batch.length;
    for (const { projectId } of batch) this.remember(projectId, cost);
    this.running -= 1;
    this.slowRunning -= Number(isSlow);
    batch.forEach(({ done }, index) => done(answers[index]!));
    this.next();
  }

  private remember(projectId: string, cost: number): void {
    const known = this.costs.get(projectId) ?? cost;
    this.costs.delete(projectId);
    this.costs.set(projectId, (known + cost) / 2);
    if (this.costs.size > maxKnown) this.costs.delete(this.costs.keys().next().value!);
  }
}
