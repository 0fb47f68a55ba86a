import type { RateWindow } from './rate-windows.repository.js';

const maxKeys = 10_000;
/** Reserving a hundredth of a high limit saves statements and never exceeds it; other gateways may find that hundredth used up. */
const blocksInLimit = 100;
/** Headroom over the demand of the last window. */
const demandFactor = 1.25;
const maxExpected = 1_000;
const checkEveryMs = 5;

export type ReservedWindow = RateWindow & Pick<CountedRequest, 'until'>;

/** `until` is measured from before the query, so no ordinal is used after its window. */
export interface CountedRequest extends Omit<RateWindow, 'used'> {
  ordinal: number;
  until: number;
}

interface Block {
  window: ReservedWindow;
  limit: number;
  next: number;
  last: number;
  size: number;
  served: number;
}

export class Reservations {
  private readonly blocks = new Map<string, Block>();
  private nextLook = 0;

  take(keyId: string): CountedRequest | null {
    const block = this.blocks.get(keyId);
    if (!block || block.next > block.last || performance.now() >= block.window.until) return null;
    const ordinal = block.next;
    block.next += 1;
    block.served += 1;
    return { ...block.window, ordinal };
  }

  amountToReserve(keyId: string, wanted: number, limit: number): number {
    const foreseen = Math.max(wanted * 2, wantedSoon(this.blocks.get(keyId)));
    return Math.max(wanted, Math.min(Math.floor(limit / blocksInLimit), foreseen));
  }

  /** Keys of the window that just ended: the first request of the new window reserves for all of them in the same statement. */
  expected(): [keyId: string, limit: number][] {
    const now = performance.now();
    if (now < this.nextLook) return [];
    this.nextLook = now + checkEveryMs;
    const justEnded = ({ window: { until }, served }: Block) =>
      served > 0 && now >= until && now - until < 1_000;
    return [...this.blocks]
      .filter(([, block]) => justEnded(block))
      .slice(0, maxExpected)
      .map(([keyId, { limit }]) => [keyId, limit]);
  }

  keep(
    window: ReservedWindow,
    { first, wanted, limit }: { first: number; wanted: number; limit: number },
  ): void {
    if (limit < blocksInLimit) return;
    if (this.blocks.size >= maxKeys) this.blocks.clear();
    const before = this.blocks.get(window.keyId);
    const served = wanted + (before?.window.second === window.second ? before.served : 0);
    const next = first + wanted;
    this.blocks.set(window.keyId, {
      window,
      limit,
      next,
      last: window.used,
      size: window.used - next + 1,
      served,
    });
  }
}

/** The demand of the last window; within a window, twice the last block once it is used up. */
function wantedSoon(block: Block | undefined): number {
  if (!block) return 0;
  if (performance.now() >= block.window.until) return Math.ceil(block.served * demandFactor);
  return block.next > block.last ? block.size * 2 : 0;
}
