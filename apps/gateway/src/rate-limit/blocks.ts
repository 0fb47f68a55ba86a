import type { RateWindow } from './rate-windows.repository.js';

const maxKeys = 10_000;
/**
 * A key of many requests a second takes places in advance, at most a hundredth of its limit: no statement for each, and never
 * one too many. Another gateway may find that hundredth taken.
 */
const blocksInLimit = 100;
/** Of what a key wanted in the last window: the next one is seldom just like it. */
const ofLast = 1.25;
const maxExpected = 1_000;
const checkEveryMs = 5;

/**
 * One request's place in its window. `until` is when the window ends by this process's clock, counted from when Postgres was
 * asked: a little early, so that no place is used after its window and nobody is refused after it.
 */
export interface Position extends RateWindow {
  until: number;
}

/** Places from `next` on are still free. */
interface Block {
  window: Position;
  limit: number;
  next: number;
  last: number;
  size: number;
  /** Requests of the window that found their place here. */
  served: number;
}

/** Places that keys took in advance. */
export class Blocks {
  private readonly blocks = new Map<string, Block>();
  private nextLook = 0;

  take(keyId: string): Position | null {
    const block = this.blocks.get(keyId);
    if (!block || block.next > block.last || performance.now() >= block.window.until) return null;
    const used = block.next;
    block.next += 1;
    block.served += 1;
    return { ...block.window, used };
  }

  /** As many again as are wanted now, or as the key showed to want: nothing is taken for nobody. */
  shouldTake(keyId: string, wanted: number, limit: number): number {
    const foreseen = Math.max(wanted * 2, wantedSoon(this.blocks.get(keyId)));
    return Math.max(wanted, Math.min(Math.floor(limit / blocksInLimit), foreseen));
  }

  /** Keys of the window that just ended, with their limits: who counts first in the new one takes their places along, once. */
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

  /** Of the places from `first` to the window's last one, `wanted` are given already. */
  keep(window: Position, { first, wanted, limit }: { first: number; wanted: number; limit: number }): void {
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

/** In a new window what the last one took; within one ever more while all is used up. */
function wantedSoon(block: Block | undefined): number {
  if (!block) return 0;
  if (performance.now() >= block.window.until) return Math.ceil(block.served * ofLast);
  return block.next > block.last ? block.size * 2 : 0;
}
