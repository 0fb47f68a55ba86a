import type { SettlingRepository } from '../queue/settling.repository.js';

/** One piece of work, as its handler gets it. */
export interface WorkItem<Payload extends object = object> {
  readonly id: string;
  readonly projectId: string;
  readonly key: string | null;
  readonly payload: Payload;
  readonly createdAt: Date;
  /** Failures since its last success. */
  readonly failures: number;
}

/** A claimed item, with what its worker has to show. */
export interface ClaimedItem<Payload extends object = object> extends WorkItem<Payload> {
  payload: Payload;
  readonly leaseToken: number;
  /** This claim included; more than one where a process died over it. */
  readonly claims: number;
  readonly traces: string | null;
}

/** The item belongs to somebody else by now: it was cancelled, took too long, or its lease ran out. The transaction has to be rolled back. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** The items of one call of a handler, and what the handler may do with them. Whatever it does joins the ambient transaction. */
export class WorkBatch<Payload extends object = object> {
  private readonly open: Set<ClaimedItem<Payload>>;
  private readonly failed = new Map<ClaimedItem<Payload>, Error>();
  private ended = false;

  constructor(
    readonly items: readonly WorkItem<Payload>[],
    private readonly settling: SettlingRepository,
    private readonly isStopping: () => boolean,
  ) {
    this.open = new Set(items as readonly ClaimedItem<Payload>[]);
  }

  get projectId(): string {
    return this.items[0]!.projectId;
  }

  /** The process drains: a handler that works in steps ends after the present one and puts the rest off. */
  get stopping(): boolean {
    return this.isStopping();
  }

  /** What has no outcome yet. */
  get unsettled(): ClaimedItem<Payload>[] {
    return [...this.open];
  }

  /** Done: with the effects of the ambient transaction or not at all. Beside others that are put off in the same transaction, name the items. */
  async complete(
    items: readonly WorkItem<Payload>[] = this.unsettled.filter((item) => !this.failed.has(item)),
  ): Promise<void> {
    await this.settle(items, (claimed) => this.settling.complete(claimed));
  }

  /** Not done yet: it goes on as soon as the other projects have had their turn, and before what its own project enqueued after it. */
  async goOn(items: readonly WorkItem<Payload>[]): Promise<void> {
    await this.settle(items, (claimed) => this.settling.postpone(claimed, null));
  }

  /** Neither done nor failed: its turn comes again after so many milliseconds, or at an instant. */
  async later(items: readonly WorkItem<Payload>[], when: number | Date): Promise<void> {
    await this.settle(items, (claimed) => this.settling.postpone(claimed, when));
  }

  /** This one did not work out: it is tried again as its kind says, or given up. It is written once the handler has returned. */
  fail(item: WorkItem<Payload>, error: Error): void {
    this.failed.set(item as ClaimedItem<Payload>, error);
  }

  /** What the handler said of single items that are not settled otherwise. */
  get failures(): [ClaimedItem<Payload>, Error][] {
    return [...this.failed].filter(([item]) => this.open.has(item));
  }

  /**
   * Proves that the item is still this worker's, and holds it until the end of the transaction; a new payload replaces the old one with its
   * commit. Kinds that keep their progress there enqueue by SOONER, since REPLACE changes the payload too.
   */
  async hold(item: WorkItem<Payload>, payload?: Payload): Promise<void> {
    const claimed = item as ClaimedItem<Payload>;
    if (this.ended || (await this.settling.hold(claimed, payload)) === 0) throw new LeaseLost();
    this.settling.afterCommit(() => {
      if (payload) claimed.payload = payload;
    });
  }

  /** From now on nothing can be settled any more. */
  end(): void {
    this.ended = true;
  }

  private async settle(
    items: readonly WorkItem<Payload>[],
    write: (claimed: ClaimedItem<Payload>[]) => Promise<number>,
  ): Promise<void> {
    const claimed = items as ClaimedItem<Payload>[];
    if (claimed.length === 0) return;
    if (this.ended || (await write(claimed)) < claimed.length) throw new LeaseLost();
    this.settling.afterCommit(() => claimed.forEach((item) => this.open.delete(item)));
  }
}
