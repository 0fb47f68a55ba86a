import type { ClaimedItem, WorkItem } from '../queue/claimed-columns.js';
import type { SettlingRepository } from '../queue/settling.repository.js';

/** The item was cancelled, took too long, or its lease expired; the transaction must be rolled back. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

export class WorkBatch<Payload extends object = object> {
  private readonly open: Set<ClaimedItem<Payload>>;
  private readonly failed = new Map<ClaimedItem<Payload>, Error>();
  private ended = false;
  private continued = false;

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

  /** During a shutdown a handler in steps ends after the current one and postpones the rest. */
  get stopping(): boolean {
    return this.isStopping();
  }

  get unsettled(): ClaimedItem<Payload>[] {
    return [...this.open];
  }

  /** Commits with the ambient transaction. Name the items where others are postponed in the same one. */
  async complete(
    items: readonly WorkItem<Payload>[] = this.unsettled.filter((item) => !this.failed.has(item)),
  ): Promise<void> {
    await this.settle(items, (claimed) => this.settling.complete(claimed));
  }

  /** Not finished: continues after the turns of other projects, before later items of its own project. */
  async continueLater(items: readonly WorkItem<Payload>[]): Promise<void> {
    this.continued ||= items.length > 0;
    await this.settle(items, (claimed) => this.settling.postpone(claimed, null));
  }

  async postpone(items: readonly WorkItem<Payload>[], when: number | Date): Promise<void> {
    await this.settle(items, (claimed) => this.settling.postpone(claimed, when));
  }

  fail(item: WorkItem<Payload>, error: Error): void {
    this.failed.set(item as ClaimedItem<Payload>, error);
  }

  get isContinued(): boolean {
    return this.continued;
  }

  get failures(): [ClaimedItem<Payload>, Error][] {
    return [...this.failed].filter(([item]) => this.open.has(item));
  }

  /** Locks the item until the end of the transaction; throws where it belongs to somebody else. A new payload
   * is stored with the commit; such kinds enqueue with SOONER, because REPLACE changes the payload, too. */
  async hold(item: WorkItem<Payload>, payload?: Payload): Promise<void> {
    const claimed = item as ClaimedItem<Payload>;
    if (this.ended || (await this.settling.hold(claimed, payload)) === 0) throw new LeaseLost();
    this.settling.afterCommit(() => {
      if (payload) claimed.payload = payload;
    });
  }

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
