import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The states of a message (docs/guarantees.md §3). HELD waits for an operator after an outage. SENT, BOUNCED, FAILED and CANCELLED are final. */
export type DeliveryState =
  'QUEUED' | 'HELD' | 'CLAIMED' | 'HANDOFF' | 'AMBIGUOUS' | 'SENT' | 'BOUNCED' | 'FAILED' | 'CANCELLED';

/** Transactional mail goes first; bulk mail keeps a tenth of the ready buffer. */
export const lanes = { transactional: 0, bulk: 1 } as const;
export type Lane = (typeof lanes)[keyof typeof lanes];

/** The delivery window: a message is attempted for so long after it was due (docs/api-decisions.md). */
export const deliveryWindowHours = 24;

/** A message whose claiming process died this often is presumed to be the cause, and fails. */
export const maxClaims = 3;

/** One row for each recipient, so that a partial acceptance never sends to an accepted recipient again. */
@Entity('deliveries')
export class DeliveryRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid', { name: 'email_id' }) emailId: string;
  @PrimaryColumn('smallint') position: number;
  @Column('text') recipient: string;
  @Column('smallint') lane: Lane;
  @Column('text') state: DeliveryState;
  @Column({ type: 'timestamptz', name: 'due_at', precision: 3 }) dueAt: Date;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt: Date;
  /** Those that lengthen the retry delay: one that failed because of the mail server or the connection does not. */
  @Column('smallint') attempts: number;
  /** Raised by every claim; writes with an older token change nothing. */
  @Column('bigint', { name: 'lease_token' }) leaseToken: number;
  @Column('uuid', { name: 'worker_id', nullable: true }) workerId: string | null;
  @Column('smallint') claims: number;
  @Column('smallint') resends: number;
  /** What the mail server and the provider have reported so far, as bits (provider-events/reported.ts). */
  @Column('smallint') reported: number;
  /** It counts towards the usage of its project: set at its first mark. */
  @Column('boolean') counted: boolean;
  /** Kept back by an allowance, a warm-up, quiet hours or its paused campaign; when it becomes due, a new delivery window begins. */
  @Column('boolean', { name: 'waits_for_next_period' }) waitsForNextPeriod: boolean;
  /** Queued until its turn at a slowed destination. */
  @Column('boolean', { name: 'has_turn' }) hasTurn: boolean;
  @Column('integer') bytes: number;
  @Column('jsonb', { nullable: true }) variables: Record<string, unknown> | null;
  @Column('text', { nullable: true }) trace: string | null;
  @Column('uuid', { name: 'campaign_id', nullable: true }) campaignId: string | null;
  /** Hours of each day in which it does not leave: they begin at the time of day of `quiet_from` and last `quiet_seconds`; null without them. */
  @Column({ type: 'timestamptz', name: 'quiet_from', precision: 3, nullable: true }) quietFrom: Date | null;
  @Column('integer', { name: 'quiet_seconds', nullable: true }) quietSeconds: number | null;
  /** When the clocks of the recipient change: from then on the hours begin `quiet_shift_seconds` earlier. */
  @Column({ type: 'timestamptz', name: 'quiet_shift_at', precision: 3, nullable: true })
  quietShiftAt: Date | null;
  @Column('integer', { name: 'quiet_shift_seconds', nullable: true }) quietShiftSeconds: number | null;
}

@Entity('workers')
export class WorkerRow {
  @PrimaryColumn('uuid') id: string;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt: Date;
}

@Entity('pace')
export class PaceRow {
  @PrimaryColumn('text', { name: 'provider' }) providerKind: string;
  @Column('timestamptz', { name: 'next_at' }) nextAt: Date;
}
