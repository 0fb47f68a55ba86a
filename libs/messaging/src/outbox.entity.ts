import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A fact that was committed with the change that it tells of, and is published afterwards. Partitioned by day. */
@Entity('outbox')
export class OutboxRow {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'project_id' }) projectId: string;
  @Column('text') fact: string;
  @Column('jsonb') items: object[];
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'published_at', precision: 3, nullable: true }) publishedAt: Date | null;
}

/** That a subscriber has taken a fact in: written in the transaction of the effect. */
@Entity('inbox')
export class InboxRow {
  @PrimaryColumn('text') subscriber: string;
  @PrimaryColumn('uuid', { name: 'fact_id' }) factId: string;
  @Column({ type: 'timestamptz', name: 'received_at', precision: 3 }) receivedAt: Date;
}

/** A fact that its subscriber could not take in; kept for the operator, to be replayed. */
@Entity('dead_letters')
export class DeadLetter {
  @PrimaryColumn('text') subscriber: string;
  @PrimaryColumn('uuid', { name: 'fact_id' }) factId: string;
  @Column('text') fact: string;
  @Column('jsonb') payload: object;
  @Column('text') error: string;
  @Column({ type: 'timestamptz', name: 'at', precision: 3 }) at: Date;
}
