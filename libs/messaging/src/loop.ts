export interface LoopOptions {
  /** Rounds come at least this often, unless `work` says otherwise; a ring brings the next one at once. */
  everyMs: number;
  /** Rounds begin at least so far apart, however often it rings: what may be late is better done by the handful. */
  restMs?: number;
  /** May answer in how many milliseconds the next round comes at the latest. */
  work: () => Promise<void | number>;
  onError: (error: unknown) => void;
}

/** After a round that failed. */
const failedPauseMs = 1_000;

/** One piece of background work, never twice at a time, woken by a ring or by the clock. */
export class Loop {
  private running: Promise<void> | null = null;
  private wake: (() => void) | null = null;
  private woken = false;
  private stopped = false;

  constructor(private readonly options: LoopOptions) {}

  start(): void {
    this.running ??= this.rounds();
  }

  wakeUp(): void {
    this.woken = true;
    this.wake?.();
  }

  /** Ends after the present round. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.wake?.();
    await this.running;
  }

  private async rounds(): Promise<void> {
    while (!this.stopped) {
      this.woken = false;
      const began = performance.now();
      let pauseMs = this.options.everyMs;
      try {
        pauseMs = (await this.options.work()) ?? pauseMs;
      } catch (error) {
        this.options.onError(error);
        this.woken = false;
        pauseMs = Math.min(pauseMs, failedPauseMs);
      }
      await this.rest(began);
      if (!this.woken && !this.stopped) await this.pause(pauseMs);
    }
  }

  private async rest(began: number): Promise<void> {
    const left = (this.options.restMs ?? 0) - (performance.now() - began);
    if (left <= 0 || this.stopped) return;
    await new Promise((rested) => setTimeout(rested, left));
  }

  private pause(everyMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.wake?.(), everyMs);
      this.wake = () => {
        clearTimeout(timer);
        this.wake = null;
        resolve();
      };
    });
  }
}
