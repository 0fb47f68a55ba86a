import type { DisabledReason } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('projects')
export class ProjectRow {
  @PrimaryColumn('uuid') id: string;
  @Column('text') name: string;
  @Column('text', { name: 'disabled_reason', nullable: true }) disabledReason: DisabledReason | null;
  @Column('text', { name: 'sandbox_handle' }) sandboxHandle: string;
  /** Requests a second for each kind of key; null is the configured default. */
  @Column('integer', { name: 'secret_per_second', nullable: true }) secretPerSecond: number | null;
  @Column('integer', { name: 'public_per_second', nullable: true }) publicPerSecond: number | null;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt: Date;
  /** Rises with every change, so that those who keep a copy know the order. */
  @Column('bigint') seq: number;

  get disabled(): boolean {
    return this.disabledReason !== null;
  }

  /** Answers whether anything changed. */
  disable(reason: DisabledReason, at: Date): boolean {
    if (this.disabledReason === reason) return false;
    this.disabledReason = reason;
    return this.changed(at);
  }

  enable(at: Date): boolean {
    if (!this.disabled) return false;
    this.disabledReason = null;
    return this.changed(at);
  }

  limit(secretPerSecond: number | null, publicPerSecond: number | null, at: Date): void {
    this.secretPerSecond = secretPerSecond;
    this.publicPerSecond = publicPerSecond;
    this.changed(at);
  }

  private changed(at: Date): true {
    this.updatedAt = at;
    this.seq = Number(this.seq) + 1;
    return true;
  }
}
