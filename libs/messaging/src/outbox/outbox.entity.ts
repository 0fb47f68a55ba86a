import type { Caller } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Committed with the change, sent to JetStream by the relay afterwards. Partitioned by day. */
@Entity('outbox')
export class OutboxRow {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'project_id' }) projectId: string;
  @Column('text', { name: 'event_name' }) eventName: string;
  @Column('jsonb') items: object[];
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  /** When the relay learned that JetStream has it; null until then. */
  @Column({ type: 'timestamptz', name: 'published_at', precision: 3, nullable: true })
  publishedAt: Date | null;
  @Column('text', { nullable: true }) traces: string | null;
  /** Null where a service acted by itself, or for several; never a visitor's (`publishedIpAddressOf`). */
  @Column('jsonb', { nullable: true }) actor: Caller['actor'] | null;
  @Column('text', { name: 'ip_address', nullable: true }) ipAddress: string | null;
  @Column('smallint') refusals: number;
  /** The relay skips events that NATS can never accept. */
  @Column({ type: 'timestamptz', name: 'quarantined_at', precision: 3, nullable: true })
  quarantinedAt: Date | null;
  @Column('text', { name: 'quarantine_reason', nullable: true }) quarantineReason: string | null;
}

@Entity('inbox')
export class InboxRow {
  @PrimaryColumn('text') subscriber: string;
  @PrimaryColumn('uuid', { name: 'event_id' }) eventId: string;
  @Column({ type: 'timestamptz', name: 'received_at', precision: 3 }) receivedAt: Date;
}

@Entity('dead_letters')
export class DeadLetter {
  @PrimaryColumn('text') subscriber: string;
  @PrimaryColumn('uuid', { name: 'event_id' }) eventId: string;
  @Column('uuid') id: string;
  @Column('text', { name: 'event_name' }) eventName: string;
  @Column('jsonb') payload: object;
  @Column('text') error: string;
  @Column('integer') attempts: number;
  @Column({ type: 'timestamptz', name: 'first_at', precision: 3 }) firstAt: Date;
  @Column({ type: 'timestamptz', name: 'at', precision: 3 }) at: Date;
}

/** Attempts of an event by itself, and whether the last one ended. */
@Entity('event_tries')
export class EventTryRow {
  @PrimaryColumn('text') subscriber: string;
  @PrimaryColumn('uuid', { name: 'event_id' }) eventId: string;
  @Column('integer') tries: number;
  @Column('boolean') running: boolean;
  @Column({ type: 'timestamptz', name: 'first_at', precision: 3 }) firstAt: Date;
  @Column({ type: 'timestamptz', name: 'at', precision: 3 }) at: Date;
}

/** The generation rises with every loss; events sent before a loss are not marked after it. */
@Entity('event_streams')
export class EventStreamRow {
  @PrimaryColumn('text') name: string;
  @Column('bigint') generation: number;
  @Column('text', { name: 'stream_created_at' }) streamCreatedAt: string;
  @Column('bigint', { name: 'last_sequence' }) lastSequence: number;
}

/** A running republication of the events of a time window, in the order of ids. At most one per service. */
@Entity('event_repeats')
export class RepublicationRow {
  @PrimaryColumn('text') name: string;
  @Column('uuid') id: string;
  @Column({ type: 'timestamptz', precision: 3 }) since: Date;
  @Column({ type: 'timestamptz', name: 'until', precision: 3 }) publishedUntil: Date;
  @Column('uuid', { name: 'after' }) cursor: string;
}

@Entity('read_models')
export class ReadModelRow {
  @PrimaryColumn('text') name: string;
  @Column({ type: 'timestamptz', name: 'rebuilt_at', precision: 3, nullable: true }) rebuiltAt: Date | null;
  @Column({ type: 'timestamptz', name: 'stale_at', precision: 3, nullable: true }) staleAt: Date | null;
}

export const messagingEntities = [
  OutboxRow,
  InboxRow,
  DeadLetter,
  EventTryRow,
  EventStreamRow,
  RepublicationRow,
  ReadModelRow,
];
