import { performance } from 'node:perf_hooks';

/** In monotonic milliseconds of the run. */
export interface Span {
  from: number;
  to: number;
}

const beatMs = 50;
const leastMs = 250;

/** When this process itself stood still: a machine that stalls delays the clients that measure the answers as well. */
export class StallWatch {
  readonly stalls: Span[] = [];
  private lastBeat = performance.now();
  private readonly timer = setInterval(() => this.beat(), beatMs);

  stop(): void {
    clearInterval(this.timer);
  }

  private beat(): void {
    const now = performance.now();
    if (now - this.lastBeat >= leastMs) this.stalls.push({ from: this.lastBeat, to: now });
    this.lastBeat = now;
  }
}

/** How much of that time lies in the stalls. */
export const stalledMs = (stalls: readonly Span[], { from, to }: Span): number =>
  stalls.reduce((sum, stall) => sum + Math.max(0, Math.min(to, stall.to) - Math.max(from, stall.from)), 0);
