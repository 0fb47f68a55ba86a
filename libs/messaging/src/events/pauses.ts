/** The pauses of a loop that looks for something to do: short while there is something, then twice as long each time. */
export class Pauses {
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
