import { Injectable } from '@nestjs/common';
import { Gatherer } from '@posthorn/messaging';
import { Metrics } from '@posthorn/telemetry';
import { GatewayConfig } from '../config.js';
import { ownDatabaseMs, within } from '../edge/deadline.js';
import type { Counted } from '../identity/credential.js';
import { rateLimited } from '../edge/edge.metrics.js';
import { isExceeded, type Allowance } from './allowance.js';
import { RateWindowsRepository, type RateWindow } from './rate-windows.repository.js';

const mostKeys = 10_000;
/**
 * A key of many requests a second takes places in advance, at most a hundredth of its limit: no statement for each, and never
 * one too many. Another gateway may find that hundredth taken.
 */
const blocksInLimit = 100;

interface Asked {
  keyId: string;
  limit: number;
}

/**
 * One request's place in its window. `until` is when the window ends by this process's clock, counted from when Postgres was
 * asked: a little early, so that no place is used after its window and nobody is refused after it.
 */
interface Place extends RateWindow {
  until: number;
}

/** Places that were taken in advance, those from `next` on still free. */
interface Block {
  window: Place;
  next: number;
  last: number;
  size: number;
  /** Requests of the window that found their place here. */
  served: number;
}

/** A fixed window of one second for each key, counted in Postgres for all gateways together, many requests in one statement. */
@Injectable()
export class RateLimiter {
  private readonly gatherer: Gatherer<Asked, Place>;
  private readonly refused;
  /** Keys past their limit, with when their window ends here: refused again without asking. */
  private readonly exhausted = new Map<string, { allowance: Allowance; until: number }>();
  private readonly blocks = new Map<string, Block>();

  constructor(
    private readonly config: GatewayConfig,
    private readonly windows: RateWindowsRepository,
    metrics: Metrics,
  ) {
    this.refused = metrics.counter(rateLimited);
    this.gatherer = new Gatherer({ flush: (asked) => this.answer(asked), maxItems: 1_000, inFlight: 1 });
  }

  get enabled(): boolean {
    return this.config.rateLimitEnabled;
  }

  async take(counted: Counted): Promise<Allowance> {
    const allowance = await this.allow(counted);
    if (isExceeded(allowance)) this.refused.inc({ key: counted.isPublic ? 'public' : 'secret' });
    return allowance;
  }

  private async allow({ keyId, isPublic, perSecond }: Counted): Promise<Allowance> {
    const known = this.exhausted.get(keyId);
    if (known && performance.now() < known.until) return known.allowance;
    const limit = perSecond ?? (isPublic ? this.config.publicPerSecond : this.config.secretPerSecond);
    const { second, used, now, until } = this.fromBlock(keyId) ?? (await this.gatherer.submit({ keyId, limit }));
    const left = (second + 1) * 1_000 - now;
    const allowance = { limit, used, resetAt: second + 1, resetIn: Math.max(1, Math.ceil(left / 1_000)) };
    if (isExceeded(allowance)) this.remember(keyId, allowance, until);
    return allowance;
  }

  private fromBlock(keyId: string): Place | null {
    const block = this.blocks.get(keyId);
    if (!block || block.next > block.last || performance.now() >= block.window.until) return null;
    const used = block.next;
    block.next += 1;
    block.served += 1;
    return { ...block.window, used };
  }

  private remember(keyId: string, allowance: Allowance, until: number): void {
    if (this.exhausted.size >= mostKeys) this.exhausted.clear();
    this.exhausted.set(keyId, { allowance, until });
  }

  /** Who had to wait for the flush before this one may find a place in the block that it brought. */
  private async answer(asked: Asked[]): Promise<Place[]> {
    const known = asked.map(({ keyId }) => this.fromBlock(keyId));
    const counted = await this.count(asked.filter((_, place) => !known[place]));
    return known.map((window) => window ?? counted.shift()!);
  }

  /** Each request of a batch gets its own place in the window. */
  private async count(asked: Asked[]): Promise<Place[]> {
    if (asked.length === 0) return [];
    const waiting = Map.groupBy(asked, ({ keyId }) => keyId);
    const calls = new Map([...waiting].map(([keyId, own]) => [keyId, this.worthTaking(keyId, own.length, own[0]!.limit)]));
    const askedAt = performance.now();
    const counted = await within(ownDatabaseMs, this.windows.count(calls));
    const windows = new Map(
      counted.map((window) => [window.keyId, { ...window, until: askedAt + (window.second + 1) * 1_000 - window.now }]),
    );
    const firsts = new Map([...windows].map(([keyId, { used }]) => [keyId, used - calls.get(keyId)! + 1]));
    for (const [keyId, window] of windows) this.keep(window, firsts.get(keyId)!, waiting.get(keyId)!.length);
    return asked.map(({ keyId }) => {
      const used = firsts.get(keyId)!;
      firsts.set(keyId, used + 1);
      return { ...windows.get(keyId)!, used };
    });
  }

  /** As many again as are wanted now, or as the key showed to want: nothing is taken for nobody. */
  private worthTaking(keyId: string, wanted: number, limit: number): number {
    const foreseen = Math.max(wanted * 2, wantedSoon(this.blocks.get(keyId)));
    return Math.max(wanted, Math.min(Math.floor(limit / blocksInLimit), foreseen));
  }

  private keep(window: Place, first: number, wanted: number): void {
    if (this.blocks.size >= mostKeys) this.blocks.clear();
    const before = this.blocks.get(window.keyId);
    const served = wanted + (before?.window.second === window.second ? before.served : 0);
    const next = first + wanted;
    this.blocks.set(window.keyId, { window, next, last: window.used, size: window.used - next + 1, served });
  }
}

/** In a new window what the last one took; within one ever more while all is used up. */
function wantedSoon(block: Block | undefined): number {
  if (!block) return 0;
  if (performance.now() >= block.window.until) return block.served;
  return block.next > block.last ? block.size * 2 : 0;
}
