import { Injectable } from '@nestjs/common';
import { inSeconds } from '@posthorn/contracts';
import { SignInLimitsRepository, type LimitedRequest, type LimitRule } from './sign-in-limits.repository.js';

const maxRemembered = 10_000;
/** More than there are paths. */
const maxRules = 100;

/** Limits attempts by address and path. Refusals are remembered in memory, so repeated attempts cost no statement. */
@Injectable()
export class SignInLimits {
  /** Instants of the monotonic clock, oldest first. */
  private readonly refused = new Map<string, number>();

  /** By path: the library chooses them. */
  private readonly rules = new Map<string, LimitRule>();

  constructor(private readonly rows: SignInLimitsRepository) {}

  /** The key is a client address and a path, with a bar between them. */
  async take(key: string, rule: LimitRule): Promise<LimitedRequest> {
    keepWithin(maxRules, this.rules, pathOf(key), rule);
    const left = (this.refused.get(key) ?? 0) - performance.now();
    if (left > 0) return { allowed: false, retryAfter: Math.ceil(left / 1_000) };
    const attempt = await this.rows.take(key, rule);
    this.refused.delete(key);
    if (attempt.retryAfter !== null) this.remember(key, attempt.retryAfter);
    return attempt;
  }

  refusalText(path: string, seconds: number): string {
    const rule = this.rules.get(path);
    const limit = rule ? `: at most ${rule.max} within ${rule.window} seconds` : '';
    return `Too many attempts${limit}; try again ${inSeconds(seconds)}`;
  }

  private remember(key: string, seconds: number): void {
    keepWithin(maxRemembered, this.refused, key, performance.now() + seconds * 1_000);
  }
}

function keepWithin<T>(max: number, kept: Map<string, T>, key: string, value: T): void {
  kept.set(key, value);
  if (kept.size > max) kept.delete(kept.keys().next().value!);
}

const pathOf = (key: string): string => key.slice(key.lastIndexOf('|') + 1);
