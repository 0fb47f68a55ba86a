import { DomainError } from '@posthorn/contracts';

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
