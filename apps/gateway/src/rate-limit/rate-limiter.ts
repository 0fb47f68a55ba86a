import { Injectable } from '@nestjs/common';
import { Gatherer } from '@posthorn/messaging';
import { GatewayConfig } from '../config.js';
import { ownDatabaseMs, within } from '../edge/deadline.js';
import type { Credential } from '../identity/credential.js';
import { isExceeded, type Allowance } from './allowance.js';
import { RateWindowsRepository, type RateWindow } from './rate-windows.repository.js';

const mostExhausted = 10_000;

/** A fixed window of one second for each key, counted in Postgres for all gateways together, many requests in one statement. */
@Injectable()
export class RateLimiter {
  private readonly gatherer: Gatherer<string, RateWindow>;
  /** Keys past their limit, with when their window ends here: refused again without asking. */
  private readonly exhausted = new Map<string, { allowance: Allowance; until: number }>();

  constructor(
    private readonly config: GatewayConfig,
    private readonly windows: RateWindowsRepository,
  ) {
    this.gatherer = new Gatherer({ flush: (keyIds) => this.count(keyIds), maxItems: 1_000 });
  }

  get enabled(): boolean {
    return this.config.rateLimitEnabled;
  }

  async take({ keyId, isPublic, perSecond }: Credential): Promise<Allowance> {
    const known = this.exhausted.get(keyId);
    if (known && performance.now() < known.until) return known.allowance;
    const limit = perSecond ?? (isPublic ? this.config.publicPerSecond : this.config.secretPerSecond);
    const { second, used, now } = await this.gatherer.submit(keyId);
    const left = (second + 1) * 1_000 - now;
    const allowance = { limit, used, resetAt: second + 1, resetIn: Math.max(1, Math.ceil(left / 1_000)) };
    if (isExceeded(allowance)) this.remember(keyId, allowance, left);
    return allowance;
  }

  private remember(keyId: string, allowance: Allowance, leftMs: number): void {
    if (this.exhausted.size >= mostExhausted) this.exhausted.clear();
    // The answer is as old as its way here, so the end comes a little late rather than early; never past one window.
    this.exhausted.set(keyId, { allowance, until: performance.now() + Math.min(leftMs, 1_000) });
  }

  /** Each request of a batch gets its own place in the window. */
  private async count(keyIds: string[]): Promise<RateWindow[]> {
    const calls = new Map<string, number>();
    for (const keyId of keyIds) calls.set(keyId, (calls.get(keyId) ?? 0) + 1);
    const windows = new Map((await within(ownDatabaseMs, this.windows.count(calls))).map((window) => [window.keyId, window]));
    const placed = new Map<string, number>();
    return keyIds.map((keyId) => {
      const window = windows.get(keyId)!;
      const place = (placed.get(keyId) ?? 0) + 1;
      placed.set(keyId, place);
      return { ...window, used: window.used - calls.get(keyId)! + place };
    });
  }
}
