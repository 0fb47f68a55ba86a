import { setImmediate } from 'node:timers/promises';

const sliceMs = 10;

/** Divides a long computation into slices, between which the process serves others, and into turns of equal length. */
export class Turns {
  private slice = performance.now();
  private turnEnd = 0;

  constructor(private readonly turnMs: number) {}

  begin(): void {
    this.turnEnd = performance.now() + this.turnMs;
  }

  get isOver(): boolean {
    return performance.now() >= this.turnEnd;
  }

  get isSliceOver(): boolean {
    return performance.now() - this.slice >= sliceMs;
  }

  async pause(): Promise<void> {
    await setImmediate();
    this.slice = performance.now();
  }
}
