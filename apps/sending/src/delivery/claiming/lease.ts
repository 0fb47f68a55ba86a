import { Injectable, Logger } from '@nestjs/common';
import { newId } from '@posthorn/database';
import { Loop } from '@posthorn/messaging';
import { SendingConfig } from '../../config.js';
import { LeasesRepository } from './leases.repository.js';

/** A worker past its lease: its messages belong to somebody else by now. */
export class LeaseLost extends Error {
  constructor() {
    super('fenced');
  }
}

/**
 * The lease of this process: one row covers all that it has claimed. The worker fences itself by its own monotonic
 * clock, earlier than the database does, so a stopped process never hands over what another one has taken (docs/guarantees.md §3).
 */
@Injectable()
export class Lease {
  private readonly log = new Logger('Lease');
  private readonly leaseMs: number;
  private held: { id: string; until: number } | null = null;
  private renounced = 0;
  private readonly renewing: Loop;

  constructor(
    private readonly leases: LeasesRepository,
    config: SendingConfig,
  ) {
    this.leaseMs = config.leaseSeconds * 1_000;
    this.renewing = new Loop({
      everyMs: this.leaseMs / 6,
      work: () => this.renew(),
      onError: (error) => this.log.warn(`not renewed: ${(error as Error).message}`),
    });
  }

  start(): void {
    this.renewing.start();
  }

  /** The worker's id while its lease holds; null while it must not claim. */
  get workerId(): string | null {
    return this.held && performance.now() < this.held.until ? this.held.id : null;
  }

  /** Throws when the lease under which something was claimed no longer holds. */
  assertHeld(workerId: string): void {
    if (this.workerId !== workerId) throw new LeaseLost();
  }

  /**
   * The database may have done what it was asked without our hearing of it: what this worker then holds without knowing goes
   * back when its lease is over, so from now on we are another one.
   */
  renounce(): void {
    this.held = null;
    this.renounced += 1;
    this.renewing.wakeUp();
  }

  async stop(): Promise<void> {
    await this.renewing.stop();
    if (this.held) await this.leases.end(this.held.id).catch(() => undefined);
    this.held = null;
  }

  private async renew(): Promise<void> {
    const requested = performance.now();
    const id = this.workerId ?? newId();
    const before = this.renounced;
    const renewed = await this.leases.renew(id, this.leaseMs);
    // A renewal that was on its way when we became another one must not make us the old one again.
    if (this.renounced !== before) return;
    // Five seconds of 30 are the margin for a slow last write.
    this.held = renewed ? { id, until: requested + (this.leaseMs * 5) / 6 } : null;
  }
}
