const firstPauseMs = 200;
const maxPauseMs = 10_000;
/** Who ran for so long starts again as if it had never crashed. */
const calmAfterMs = 60_000;

/** How long to wait before what crashed starts again: twice as long after each crash. */
export class RestartPauses {
  crashes = 0;

  after(ranForMs: number): number {
    this.crashes = ranForMs > calmAfterMs ? 1 : this.crashes + 1;
    return Math.min(firstPauseMs * 2 ** (this.crashes - 1), maxPauseMs);
  }
}
