import { Logger } from '@nestjs/common';
import { newId } from '@posthorn/database';
import { Loop } from '@posthorn/messaging';
import type { ClaimsRepository, Worker } from '../queue/claims.repository.js';

/**
 * One row for all that this process has claimed, renewed while it has something. When it runs out, others take its items back, and what this
 * process still writes of them is refused by their tokens.
 */
export class WorkerLease {
  private readonly log = new Logger('Work');
  private id = newId();
  private renewedAt = performance.now();
  private held = 0;
  private renewing: Loop | null = null;

  constructor(
    private readonly claims: ClaimsRepository,
    private readonly leaseMs: number,
  ) {}

  /** Who claims now. A lease that may have run out at rest is not taken up again. */
  get worker(): Worker {
    if (this.held === 0 && performance.now() - this.renewedAt > this.leaseMs / 2) this.startOver();
    return { id: this.id, leaseMs: this.leaseMs };
  }

  /** A claim renews the lease by itself. */
  async during<T>(claim: () => Promise<T>): Promise<T> {
    const before = performance.now();
    const claimed = await claim();
    this.renewedAt = before;
    return claimed;
  }

  /** Something is claimed; answers how to say that it has its outcome. */
  hold(): () => void {
    this.held += 1;
    this.renewing ??= this.startRenewing();
    return () => {
      this.held -= 1;
    };
  }

  async end(): Promise<void> {
    await this.renewing?.stop();
    await this.claims.endLease(this.id).catch(() => undefined);
  }

  private startRenewing(): Loop {
    const onError = (error: unknown) =>
      this.log.warn(`the lease is not renewed: ${(error as Error).message}`);
    const renewing = new Loop({ everyMs: this.leaseMs / 4, work: () => this.renew(), onError });
    renewing.start();
    return renewing;
  }

  private async renew(): Promise<void> {
    if (this.held === 0) return;
    const before = performance.now();
    const { id } = this;
    if (await this.claims.renew({ id, leaseMs: this.leaseMs })) this.renewedAt = before;
    else if (id === this.id) this.startOver();
  }

  private startOver(): void {
    this.id = newId();
    this.renewedAt = performance.now();
  }
}
