import { Injectable } from '@nestjs/common';
import { Gatherer } from '@posthorn/messaging';
import { Metrics } from '@posthorn/telemetry';
import { GatewayConfig } from '../config.js';
import { within } from '../wire/deadline.js';
import type { RateLimitKey } from '../identity/credential.js';
import type { RateLimitedKind } from '../routes/route.js';
import { rateLimited } from '../wire/edge.metrics.js';
import { isExceeded, type RateLimitState } from './rate-limit-state.js';
import { RateWindowsRepository, type RateWindow } from './rate-windows.repository.js';

const maxExhausted = 10_000;

interface Requested {
  keyId: string;
  limit: number;
}

const labels: Record<RateLimitedKind, string> = {
  SECRET: 'secret',
  TOKEN: 'secret',
  PUBLIC: 'public',
  SESSION: 'session',
};

/** Fixed one-second windows per key or user, counted in Postgres across all gateways and batched into one statement. */
@Injectable()
export class RateLimiter {
  private readonly gatherer: Gatherer<Requested, CountedRequest>;
  private readonly refused;
  /** Keys over their limit until the end of the window, refused without a query. */
  private readonly exhausted = new Map<string, { state: RateLimitState; until: number }>();
  private readonly reservations = new Reservations();
  private readonly limits: Record<RateLimitedKind, number>;

  constructor(
    private readonly config: GatewayConfig,
    private readonly windows: RateWindowsRepository,
    metrics: Metrics,
  ) {
    this.refused = metrics.counter(rateLimited);
    const { secretPerSecond, publicPerSecond, sessionPerSecond } = config;
    this.limits = {
      SECRET: secretPerSecond,
      TOKEN: secretPerSecond,
      PUBLIC: publicPerSecond,
      SESSION: sessionPerSecond,
    };
    this.gatherer = new Gatherer({
      flush: (requested) => this.answer(requested),
      maxItems: 1_000,
      inFlight: 1,
    });
  }

  get enabled(): boolean {
    return this.config.rateLimitEnabled;
  }

  async take(rateLimitKey: RateLimitKey): Promise<RateLimitState> {
    const state = await this.allow(rateLimitKey);
    if (isExceeded(state)) this.refused.inc({ key: labels[rateLimitKey.kind] });
    return state;
  }

  private async allow({ keyId, kind, perSecond }: RateLimitKey): Promise<RateLimitState> {
    const known = this.exhausted.get(keyId);
    if (known && performance.now() < known.until) return known.state;
    const limit = perSecond ?? this.limits[kind];
    const { second, ordinal, now, until } =
      this.reservations.take(keyId) ??
      (await within(this.config.databaseWaitMs, this.gatherer.submit({ keyId, limit })));
    const left = (second + 1) * 1_000 - now;
    const state = {
      limit,
      used: ordinal,
      resetAt: second + 1,
      resetIn: Math.max(1, Math.ceil(left / 1_000)),
    };
    if (isExceeded(state)) this.remember(keyId, state, until);
    return state;
  }

  private remember(keyId: string, state: RateLimitState, until: number): void {
    if (this.exhausted.size >= maxExhausted) this.exhausted.clear();
    this.exhausted.set(keyId, { state, until });
  }

  /** Requests that waited for the previous flush may be served from the block it reserved. */
  private async answer(requested: Requested[]): Promise<CountedRequest[]> {
    const known = requested.map(({ keyId }) => this.reservations.take(keyId));
    const counted = await this.count(requested.filter((_, index) => !known[index]));
    return known.map((window) => window ?? counted.shift()!);
  }

  private async count(requested: Requested[]): Promise<CountedRequest[]> {
    if (requested.length === 0) return [];
    const waiting = Map.groupBy(requested, ({ keyId }) => keyId);
    const limits = new Map([
      ...this.reservations.expected(),
      ...requested.map(({ keyId, limit }) => [keyId, limit] as const),
    ]);
    const wanted = (keyId: string) => waiting.get(keyId)?.length ?? 0;
    const amounts = new Map(
      [...limits].map(([keyId, limit]) => [
        keyId,
        this.reservations.amountToReserve(keyId, wanted(keyId), limit),
      ]),
    );
    const requestedAt = performance.now();
    const counted = await within(this.config.databaseWaitMs, this.windows.count(amounts));
    const windows = new Map(
      counted.map((window) => [
        window.keyId,
        { ...window, until: requestedAt + (window.second + 1) * 1_000 - window.now },
      ]),
    );
    const firsts = new Map([...windows].map(([keyId, { used }]) => [keyId, used - amounts.get(keyId)! + 1]));
    for (const [keyId, window] of windows)
      this.reservations.keep(window, {
        first: firsts.get(keyId)!,
        wanted: wanted(keyId),
        limit: limits.get(keyId)!,
      });
    return requested.map(({ keyId }) => {
      const ordinal = firsts.get(keyId)!;
      firsts.set(keyId, ordinal + 1);
      return { ...windows.get(keyId)!, ordinal };
    });
  }
}

const maxKeys = 10_000;
/** Reserving a hundredth of a high limit saves statements and never exceeds it; other gateways may find that hundredth used up. */
const blocksInLimit = 100;
/** Headroom over the demand of the last window. */
const demandFactor = 1.25;
const maxExpected = 1_000;
const checkEveryMs = 5;

type ReservedWindow = RateWindow & Pick<CountedRequest, 'until'>;

/** `until` is measured from before the query, so no ordinal is used after its window. */
interface CountedRequest extends Omit<RateWindow, 'used'> {
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

class Reservations {
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
