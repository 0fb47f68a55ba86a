import { Injectable } from '@nestjs/common';
import { AttemptsRepository, type Attempt, type AttemptRule } from './attempts.repository.js';

const maxRemembered = 10_000;

/** Limits attempts by address and path. Refusals are remembered in memory, so repeated attempts cost no statement. */
@Injectable()
export class Attempts {
  /** Instants of the monotonic clock, oldest first. */
  private readonly refused = new Map<string, number>();

  constructor(private readonly rows: AttemptsRepository) {}

  async take(key: string, rule: AttemptRule): Promise<Attempt> {
    const left = (this.refused.get(key) ?? 0) - performance.now();
    if (left > 0) return { allowed: false, retryAfter: Math.ceil(left / 1_000) };
    const attempt = await this.rows.take(key, rule);
    this.refused.delete(key);
    if (attempt.retryAfter !== null) this.remember(key, attempt.retryAfter);
    return attempt;
  }

  private remember(key: string, seconds: number): void {
    this.refused.set(key, performance.now() + seconds * 1_000);
    if (this.refused.size > maxRemembered) this.refused.delete(this.refused.keys().next().value!);
  }
}
