import { Logger } from '@nestjs/common';
import { newId } from '@posthorn/database';
import { Loop } from '@posthorn/messaging';
import type { ClaimsRepository, Worker } from '../queue/claims.repository.js';

/** After its expiry others take the items back, and late writes are refused by their tokens. */
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

  get worker(): Worker {
    if (this.held === 0 && performance.now() - this.renewedAt > this.leaseMs / 2) this.startOver();
    return { id: this.id, leaseMs: this.leaseMs };
  }

  async during<T>(claim: () => Promise<T>): Promise<T> {
    const before = performance.now();
    const claimed = await claim();
    this.renewedAt = before;
    return claimed;
  }

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
