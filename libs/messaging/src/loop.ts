export interface LoopOptions {
  /** Rounds come at least this often; a ring brings the next one at once. */
  everyMs: number;
  work: () => Promise<void>;
  onError: (error: unknown) => void;
}

/** One piece of background work, never twice at a time, woken by a ring or by the clock. */
export class Loop {
  private running: Promise<void> | null = null;
  private wake: (() => void) | null = null;
  private rung = false;
  private stopped = false;

  constructor(private readonly options: LoopOptions) {}

  start(): void {
    this.running ??= this.rounds();
  }

  ring(): void {
    this.rung = true;
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
      this.rung = false;
      try {
        await this.options.work();
      } catch (error) {
        this.options.onError(error);
        this.rung = false;
      }
      if (!this.rung && !this.stopped) await this.pause();
    }
  }

  private pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.wake?.(), this.options.everyMs);
      this.wake = () => {
        clearTimeout(timer);
        this.wake = null;
        resolve();
      };
    });
  }
}
