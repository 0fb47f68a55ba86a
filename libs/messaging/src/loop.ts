import { Logger } from '@nestjs/common';
import { currentService } from './outages/service-context.js';

export interface LoopOptions {
  /** The pause between rounds that succeed, unless `work` returns another; a wake-up ends it. */
  everyMs: number;
  /** Between the starts of two rounds, also after a wake-up; asked after each round. */
  minIntervalMs?: number | (() => number);
  work: () => Promise<void | number>;
  onError: (error: unknown) => void;
}

const failedPauseMs = 1_000;

/** Background work that never runs twice at a time, started by a wake-up or a timer. */
export class Loop {
  private readonly log = new Logger('Loop');
  private running: Promise<void> | null = null;
  private wake: (() => void) | null = null;
  private woken = false;
  private stopped = false;
  private failing: { times: number; last: string } | null = null;

  constructor(private readonly options: LoopOptions) {}

  start(): void {
    this.running ??= this.rounds();
  }

  wakeUp(): void {
    this.woken = true;
    this.wake?.();
  }

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
        this.succeeded();
      } catch (error) {
        this.failed(error);
        this.woken = false;
        pauseMs = Math.min(pauseMs, failedPauseMs);
      }
      await this.waitOutInterval(began);
      if (!this.woken && !this.stopped) await this.pause(pauseMs);
    }
  }

  private failed(error: unknown): void {
    if (!currentService()?.noteFailure(error))
      this.failing = { times: (this.failing?.times ?? 0) + 1, last: (error as Error).message };
    this.options.onError(error);
  }

  /** The log shows a failure that repeats only once (`Repeats`), so its end is worth a line. */
  private succeeded(): void {
    if (this.failing && this.failing.times > 1)
      this.log.log(`succeeds again after ${this.failing.times} failures: ${this.failing.last}`);
    this.failing = null;
  }

  private async waitOutInterval(began: number): Promise<void> {
    const { minIntervalMs = 0 } = this.options;
    const least = typeof minIntervalMs === 'number' ? minIntervalMs : minIntervalMs();
    const left = least - (performance.now() - began);
    if (left <= 0 || this.stopped) return;
    await new Promise((resolve) => setTimeout(resolve, left));
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

/** The shortest pause after a round that found work, twice the last one after others, up to a maximum. */
export class IdleBackoff {
  private ms: number;

  constructor(
    private readonly shortestMs: number,
    private readonly maxMs: number,
  ) {
    this.ms = shortestMs;
  }

  delayMs({ busy }: { busy: boolean }): number {
    this.ms = busy ? this.shortestMs : Math.min(2 * this.ms, this.maxMs);
    return this.ms;
  }
}
