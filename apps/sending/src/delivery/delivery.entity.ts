import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A message's life (docs/guarantees.md §3). SENT, BOUNCED, FAILED and CANCELLED are the ends. */
export type DeliveryState =
  'QUEUED' | 'CLAIMED' | 'HANDOFF' | 'AMBIGUOUS' | 'SENT' | 'BOUNCED' | 'FAILED' | 'CANCELLED';

/** Transactional mail never waits behind a campaign. */
export const lanes = { transactional: 0, bulk: 1 } as const;
export type Lane = (typeof lanes)[keyof typeof lanes];

/** One recipient's hand-off: so that a partial acceptance never mails the accepted ones again. */
@Entity('deliveries')
export class DeliveryRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid', { name: 'email_id' }) emailId: string;
  @PrimaryColumn('smallint') position: number;
  @Column('text') recipient: string;
  @Column('smallint') lane: Lane;
  @Column('text') state: DeliveryState;
  @Column({ type: 'timestamptz', name: 'due_at', precision: 3 }) dueAt: Date;
  /** After it no further attempt is made. */
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt: Date;
  @Column('smallint') attempts: number;
  /** Raised by every claim: a write that carries an older one changes nothing. */
  @Column('bigint', { name: 'lease_token' }) leaseToken: number;
  @Column('uuid', { name: 'worker_id', nullable: true }) workerId: string | null;
  /** Claims in a row that ended with their process. */
  @Column('smallint') claims: number;
  @Column('integer') bytes: number;
  /** What the contact's own fields said at the first claim; null where nobody asked. */
  @Column('jsonb', { nullable: true }) variables: Record<string, unknown> | null;
  /** The `traceparent` of the request that sent it, where that is recorded. */
  @Column('text', { nullable: true }) trace: string | null;
}

/** A process that delivers. Its lease covers all that it has claimed. */
@Entity('workers')
export class WorkerRow {
  @PrimaryColumn('uuid') id: string;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt: Date;
}

/** The next free instant of a provider's pace, shared by all replicas. */
@Entity('pace')
export class PaceRow {
  @PrimaryColumn('text') provider: string;
  @Column('timestamptz', { name: 'next_at' }) nextAt: Date;
}
