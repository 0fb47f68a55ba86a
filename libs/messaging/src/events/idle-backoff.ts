export class IdleBackoff {
  private ms: number;

  constructor(
    private readonly shortestMs: number,
    private readonly maxMs: number,
  ) {
    this.ms = shortestMs;
  }

  after(isBusy: boolean): number {
    this.ms = isBusy ? this.shortestMs : Math.min(2 * this.ms, this.maxMs);
    return this.ms;
  }
}
