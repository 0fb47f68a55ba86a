import { Injectable, Logger } from '@nestjs/common';
import { newId } from '@posthorn/database';
import { Loop } from '@posthorn/messaging';
import { SendingConfig } from '../../config.js';
import { OverdueMail } from '../overdue/overdue-mail.js';
import { LeasesRepository } from './leases.repository.js';

export class LeaseLost extends Error {
  constructor() {
    super('The lease was lost');
  }
}

interface HeldLease {
  id: string;
  /** On the monotonic clock of this process. */
  until: number;
}

// By its monotonic clock the process stops using its row in `workers` before the database lets it expire, so
// that it never hands over what another worker has claimed meanwhile (docs/guarantees.md §3).
@Injectable()
export class Lease {
  private readonly log = new Logger('Lease');
  private readonly leaseMs: number;
  private held: HeldLease | null = null;
  private timesAbandoned = 0;
  private readonly loop: Loop;

  constructor(
    private readonly leases: LeasesRepository,
    private readonly overdueMail: OverdueMail,
    config: SendingConfig,
  ) {
    this.leaseMs = config.leaseSeconds * 1_000;
    this.loop = new Loop({
      everyMs: this.leaseMs / 6,
      work: () => this.renew(),
      onError: (error) => this.log.warn(`not renewed: ${(error as Error).message}`),
    });
  }

  start(): void {
    this.loop.start();
  }

  get workerId(): string | null {
    return this.held && performance.now() < this.held.until ? this.held.id : null;
  }

  assertHeld(workerId: string): void {
    if (this.workerId !== workerId) throw new LeaseLost();
  }

  // After a statement without an answer the worker may hold messages that it does not know of; they return
  // when the old lease expires, because it continues under a new id.
  abandon(): void {
    this.held = null;
    this.timesAbandoned += 1;
    this.loop.wakeUp();
  }

  async stop(): Promise<void> {
    await this.loop.stop();
    if (this.held) await this.leases.end(this.held.id).catch(() => undefined);
    this.held = null;
  }

  private async renew(): Promise<void> {
    const before = this.timesAbandoned;
    const held = (await this.renewHeld()) ?? (await this.beginNew());
    // A renewal that was in flight during `abandon` must not restore the old id.
    if (this.timesAbandoned === before) this.held = held;
  }

  private async renewHeld(): Promise<HeldLease | null> {
    const id = this.workerId;
    const requested = performance.now();
    return id !== null && (await this.leases.renew(id, this.leaseMs)) ? this.heldSince(id, requested) : null;
  }

  private async beginNew(): Promise<HeldLease> {
    await this.overdueMail.holdAfterOutage();
    const id = newId();
    const requested = performance.now();
    await this.leases.begin(id, this.leaseMs);
    return this.heldSince(id, requested);
  }

  /** A sixth of the lease is the margin for a slow final write. */
  private heldSince(id: string, requested: number): HeldLease {
    return { id, until: requested + (this.leaseMs * 5) / 6 };
  }
}
