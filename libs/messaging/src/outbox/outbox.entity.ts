import type { Caller } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An event that was committed with the change that it tells of, and is published afterwards. Partitioned by day. */
@Entity('outbox')
export class OutboxRow {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'project_id' }) projectId: string;
  @Column('text') fact: string;
  @Column('jsonb') items: object[];
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'published_at', precision: 3, nullable: true })
  publishedAt: Date | null;
  /** The traces that record the change, as `traceparent`s with commas between them; null where none does. */
  @Column('text', { nullable: true }) traces: string | null;
  /** Who did it, and from where; null where a service did it by itself, or for several at once. No visitor's address (`publishedAddressOf`). */
  @Column('jsonb', { nullable: true }) actor: Caller['actor'] | null;
  @Column('text', { nullable: true }) address: string | null;
  /** Rounds in which the bus refused it while it took others beside it. */
  @Column('smallint') refusals: number;
  /** Since when the relay passes over it, because the bus can never take it; null where it does not. */
  @Column({ type: 'timestamptz', name: 'quarantined_at', precision: 3, nullable: true })
  quarantinedAt: Date | null;
  @Column('text', { name: 'quarantine_reason', nullable: true }) quarantineReason: string | null;
}

/** That a subscriber has taken an event in: written in the transaction of the effect. */
@Entity('inbox')
export class InboxRow {
  @PrimaryColumn('text') subscriber: string;
  @PrimaryColumn('uuid', { name: 'fact_id' }) factId: string;
  @Column({ type: 'timestamptz', name: 'received_at', precision: 3 }) receivedAt: Date;
}

/** An event that its subscriber could not take in; kept for the operator, to be replayed. */
@Entity('dead_letters')
export class DeadLetter {
  @PrimaryColumn('text') subscriber: string;
  @PrimaryColumn('uuid', { name: 'fact_id' }) factId: string;
  @Column('uuid') id: string;
  @Column('text') fact: string;
  @Column('jsonb') payload: object;
  @Column('text') error: string;
  @Column('integer') attempts: number;
  @Column({ type: 'timestamptz', name: 'first_at', precision: 3 }) firstAt: Date;
  @Column({ type: 'timestamptz', name: 'at', precision: 3 }) at: Date;
}

/** How often an event that failed was tried by itself, and whether the last try ever ended. */
@Entity('fact_tries')
export class EventTryRow {
  @PrimaryColumn('text') subscriber: string;
  @PrimaryColumn('uuid', { name: 'fact_id' }) factId: string;
  @Column('integer') tries: number;
  @Column('boolean') running: boolean;
  @Column({ type: 'timestamptz', name: 'first_at', precision: 3 }) firstAt: Date;
  @Column({ type: 'timestamptz', name: 'at', precision: 3 }) at: Date;
}

/** The owner's stream as it was last seen. The generation rises with every loss: what was published before one is not marked after it. */
@Entity('fact_streams')
export class EventStreamRow {
  @PrimaryColumn('text') name: string;
  @Column('bigint') generation: number;
  @Column('text') incarnation: string;
  @Column('bigint', { name: 'last_sequence' }) lastSequence: number;
}

/** Published events that are being published once more, and how far that has come. */
@Entity('fact_repeats')
export class EventRepeatRow {
  @PrimaryColumn('text') name: string;
  @Column('uuid') id: string;
  @Column({ type: 'timestamptz', precision: 3 }) since: Date;
  @Column({ type: 'timestamptz', precision: 3 }) until: Date;
  @Column('uuid') after: string;
}

/** Whether a copy of another service's data is whole. */
@Entity('read_models')
export class ReadModelRow {
  @PrimaryColumn('text') name: string;
  @Column({ type: 'timestamptz', name: 'rebuilt_at', precision: 3, nullable: true }) rebuiltAt: Date | null;
  @Column({ type: 'timestamptz', name: 'stale_at', precision: 3, nullable: true }) staleAt: Date | null;
}

/** Every table of the messaging, for the data source of a service. */
export const messagingEntities = [
  OutboxRow,
  InboxRow,
  DeadLetter,
  EventTryRow,
  EventStreamRow,
  EventRepeatRow,
  ReadModelRow,
];
