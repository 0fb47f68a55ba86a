/** What keeps mail that is due from leaving, other than too few processes. */
export type SendingLimit = 'pace' | 'provider_paused' | 'allowance' | 'destination';

const windowMs = 10_000;
/** Of the moving maximum: ten minutes. */
const windows = 60;
/** For so long after it last held something back a limit counts as reached. */
const limitedMs = 60_000;

/** What the autoscaler asks each process (docs/decisions/0053-kubernetes.md). */
export class HandOffSignals {
  private readonly handedOver: number[] = [];
  private inWindow = 0;
  private windowEnds: number;
  private readonly limitedUntil = new Map<SendingLimit, number>();

  constructor(
    private readonly connections: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.windowEnds = this.now() + windowMs;
  }

  countHandOff(): void {
    this.advance();
    this.inWindow += 1;
  }

  limitedBy(limit: SendingLimit): void {
    this.limitedUntil.set(limit, this.now() + limitedMs);
  }

  isLimitedBy(limit: SendingLimit): boolean {
    return this.now() < (this.limitedUntil.get(limit) ?? 0);
  }

  /** Messages a second: the most of ten minutes, and where less was there to do, one a second for each connection. */
  get capacity(): number {
    this.advance();
    return Math.max(this.connections, ...this.handedOver.map((count) => (count * 1_000) / windowMs));
  }

  private advance(): void {
    const now = this.now();
    if (now < this.windowEnds) return;
    this.handedOver.push(this.inWindow);
    const passed = Math.floor((now - this.windowEnds) / windowMs);
    for (let quiet = 0; quiet < Math.min(passed, windows); quiet += 1) this.handedOver.push(0);
    this.handedOver.splice(0, this.handedOver.length - windows);
    this.inWindow = 0;
    this.windowEnds += (passed + 1) * windowMs;
  }
}
