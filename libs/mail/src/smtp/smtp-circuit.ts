import type { Attempt } from './smtp-attempt.js';

const firstPauseMs = 1_000;
const maxPauseMs = 60_000;

/** Protects an unreachable provider: each failure to open a session doubles the pause. */
export class SmtpCircuit {
  failures = 0;
  pausedUntil = 0;
  lastFailure?: Attempt;

  constructor(private readonly now: () => number) {}

  get paused(): boolean {
    return this.pauseMs > 0;
  }

  get pauseMs(): number {
    return Math.max(0, this.pausedUntil - this.now());
  }

  get hasFailed(): boolean {
    return this.failures > 0;
  }

  failed(attempt: Attempt): void {
    this.lastFailure = attempt;
    // Several sessions that were opening at once fail together and count as one failure.
    if (!this.paused) this.lengthenPause();
  }

  succeeded(): void {
    this.failures = 0;
    this.pausedUntil = 0;
    this.lastFailure = undefined;
  }

  private lengthenPause(): void {
    this.pausedUntil = this.now() + Math.min(firstPauseMs * 2 ** Math.min(this.failures, 20), maxPauseMs);
    this.failures++;
  }
}
