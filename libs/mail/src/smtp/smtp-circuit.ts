import type { Attempt } from './smtp-attempt.js';

const firstPauseMs = 1_000;
const maxPauseMs = 60_000;

/** Keeps callers from hammering a provider that cannot be reached: each failure to open a session pauses opening for twice as long. */
export class SmtpCircuit {
  failures = 0;
  pausedUntil = 0;
  lastFailure?: Attempt;

  /** `now` must be monotonic. */
  constructor(private readonly now: () => number) {}

  get paused(): boolean {
    return this.pauseMs > 0;
  }

  get pauseMs(): number {
    return Math.max(0, this.pausedUntil - this.now());
  }

  /** After a failure one connection tries the ground before the others follow. */
  get probing(): boolean {
    return this.failures > 0;
  }

  failed(attempt: Attempt): void {
    this.lastFailure = attempt;
    // Several that were opening at once fail at once: that is one failure, not as many.
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
