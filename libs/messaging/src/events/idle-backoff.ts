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
