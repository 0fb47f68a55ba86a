import { DomainError } from '@posthorn/contracts';

export interface RunLimits {
  /** What it is that runs, in the plural, for the error text. */
  what: string;
  /** Runs at once in this process. */
  running: number;
  /** Runs at once of one project. */
  perProject: number;
  waitingPerProject: number;
  waiting: number;
  /** False where a request must see what happened before it: it joins runs that have not begun only. */
  joinsRunning?: boolean;
}

interface WaitingRun {
  waitLimit: WaitLimit;
  start: () => void;
  drop: (error: Error) => void;
}

/** One project cannot use up what others need: projects take turns, identical requests share a run, and what
 * could only start after its deadline is refused. */
export class LimitedRuns {
  private readonly shared = new Map<string, Promise<unknown>>();
  private readonly queues = new Map<string, WaitingRun[]>();
  private readonly running = new Map<string, number>();
  private total = 0;
  private waiting = 0;

  constructor(private readonly limits: RunLimits) {}

  /** `key` is equal for equal requests of a project; `remainingMs` is the time until the caller gives up. */
  run<T>(projectId: string, key: string, remainingMs: number | null, work: () => Promise<T>): Promise<T> {
    const name = `${projectId} ${key}`;
    const known = this.shared.get(name) as Promise<T> | undefined;
    if (known) return known;
    const forget = () => {
      if (this.shared.get(name) === run) this.shared.delete(name);
    };
    const run = this.wait(projectId, remainingMs).then(() => {
      if (this.limits.joinsRunning === false) forget();
      return this.work(projectId, work);
    });
    this.shared.set(name, run);
    run.then(forget, forget);
    return run;
  }

  private wait(projectId: string, remainingMs: number | null): Promise<void> {
    const queue = this.queues.get(projectId) ?? [];
    if (this.hasRoom(projectId)) {
      this.begin(projectId);
      return Promise.resolve();
    }
    if (queue.length >= this.limits.waitingPerProject || !this.makePlace(queue.length))
      return Promise.reject(this.tooMany());
    return new Promise((start, drop) => {
      const waitLimit = new WaitLimit(remainingMs, () => this.remove(projectId, run));
      const run: WaitingRun = { waitLimit, start, drop };
      queue.push(run);
      this.queues.set(projectId, queue);
      this.waiting += 1;
    });
  }

  private remove(projectId: string, run: WaitingRun): void {
    const queue = this.queues.get(projectId) ?? [];
    const index = queue.indexOf(run);
    if (index === -1) return;
    queue.splice(index, 1);
    if (queue.length === 0) this.queues.delete(projectId);
    this.refuse(run);
  }

  private refuse({ waitLimit, drop }: WaitingRun): void {
    waitLimit.end();
    this.waiting -= 1;
    drop(this.tooMany());
  }

  /** The newest run of the longest queue gives way to a project that has fewer. */
  private makePlace(ownWaiting: number): boolean {
    if (this.waiting < this.limits.waiting) return true;
    const longest = [...this.queues.values()].reduce((a, b) => (b.length > a.length ? b : a), []);
    if (longest.length <= ownWaiting + 1) return false;
    this.refuse(longest.pop()!);
    return true;
  }

  private async work<T>(projectId: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      this.total -= 1;
      const left = this.running.get(projectId)! - 1;
      if (left === 0) this.running.delete(projectId);
      else this.running.set(projectId, left);
      this.next();
    }
  }

  private next(): void {
    for (const [projectId, queue] of [...this.queues]) {
      while (queue.length > 0 && this.hasRoom(projectId)) {
        const run = queue.shift()!;
        if (run.waitLimit.isOver) {
          this.refuse(run);
          continue;
        }
        run.waitLimit.end();
        this.waiting -= 1;
        this.begin(projectId);
        run.start();
      }
      // The project goes to the end of the turn.
      this.queues.delete(projectId);
      if (queue.length > 0) this.queues.set(projectId, queue);
      if (this.total >= this.limits.running) return;
    }
  }

  private hasRoom(projectId: string): boolean {
    const { running, perProject } = this.limits;
    return this.total < running && (this.running.get(projectId) ?? 0) < perProject;
  }

  private begin(projectId: string): void {
    this.total += 1;
    this.running.set(projectId, (this.running.get(projectId) ?? 0) + 1);
  }

  private tooMany(): Error {
    return tooManyWaiting(this.limits.what);
  }
}

const retryAfterSeconds = 2;

/** Nothing was begun, so the caller may repeat the request. */
export const tooManyWaiting = (what: string): DomainError =>
  new DomainError(
    'rate_limited',
    'rate_limited',
    `Too many ${what} are running or waiting; repeat the request in ${retryAfterSeconds} s`,
    { retryAfterSeconds },
  );

/** A refusal still has to reach the caller before it gives up. */
const replyMs = 200;

/** Until the caller gives up. Answers whether it is too late; until then calls `drop` at that time. */
export class WaitLimit {
  private readonly until: number;
  private readonly timer: NodeJS.Timeout | undefined;

  constructor(remainingMs: number | null, drop: () => void) {
    const waitMs = remainingMs === null ? Infinity : Math.max(0, remainingMs - replyMs);
    this.until = performance.now() + waitMs;
    if (waitMs < Infinity) this.timer = setTimeout(drop, waitMs).unref();
  }

  /** Also where the timer is late, because the process was busy. */
  get isOver(): boolean {
    return performance.now() >= this.until;
  }

  end(): void {
    clearTimeout(this.timer);
  }
}
