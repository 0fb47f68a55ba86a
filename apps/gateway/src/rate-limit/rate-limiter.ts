import { Injectable } from '@nestjs/common';
import { Gatherer } from '@posthorn/messaging';
import { Metrics } from '@posthorn/telemetry';
import { GatewayConfig } from '../config.js';
import { within } from '../wire/deadline.js';
import type { RateLimitKey } from '../identity/credential.js';
import type { RateLimitedKind } from '../routes/route.js';
import { rateLimited } from '../wire/edge.metrics.js';
import { isExceeded, type RateLimitState } from './rate-limit-state.js';
import { Reservations, type CountedRequest } from './reservations.js';
import { RateWindowsRepository } from './rate-windows.repository.js';

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
