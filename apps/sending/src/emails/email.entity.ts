import type { EmailStatus, FailureKind, Mailbox } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export type SourceType = 'TRANSACTIONAL' | 'CAMPAIGN' | 'WORKFLOW' | 'INBOUND';

/** One e-mail as the API shows it. Its queue state lies in `deliveries`, its content in `email_contents`. Partitioned by month. */
@Entity('emails')
export class EmailRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'content_id' }) contentId: string;
  @Column('uuid', { name: 'contact_id', nullable: true }) contactId: string | null;
  @Column('text', { name: 'from_email' }) fromEmail: string;
  @Column('text', { name: 'from_name', nullable: true }) fromName: string | null;
  @Column('text', { name: 'to_email' }) toEmail: string;
  @Column('text', { name: 'to_name', nullable: true }) toName: string | null;
  @Column('text') subject: string;
  /** PENDING until something final is known; SENDING is read off the delivery. VOIDED rows are tombstones. */
  @Column('text') status: EmailStatus | 'VOIDED';
  @Column('text', { name: 'failure_kind', nullable: true }) failureKind: FailureKind | null;
  @Column('text', { nullable: true }) error: string | null;
  @Column('text', { name: 'source_type' }) sourceType: SourceType;
  @Column('text', { array: true }) tags: string[];
  @Column('jsonb') metadata: Record<string, string>;
  @Column('integer') opens: number;
  @Column('integer') clicks: number;
  @Column({ type: 'timestamptz', name: 'sent_at', precision: 3, nullable: true }) sentAt: Date | null;
  @Column({ type: 'timestamptz', name: 'delivered_at', precision: 3, nullable: true }) deliveredAt: Date | null;
  @Column({ type: 'timestamptz', name: 'bounced_at', precision: 3, nullable: true }) bouncedAt: Date | null;
  @Column({ type: 'timestamptz', name: 'opened_at', precision: 3, nullable: true }) openedAt: Date | null;
  @Column({ type: 'timestamptz', name: 'clicked_at', precision: 3, nullable: true }) clickedAt: Date | null;
  @Column({ type: 'timestamptz', name: 'complained_at', precision: 3, nullable: true }) complainedAt: Date | null;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt: Date;
}

/** What goes out. One row serves every recipient of one call. Partitioned by week. */
@Entity('email_contents')
export class EmailContentRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('text') html: string;
  @Column('text', { nullable: true }) text: string | null;
  @Column('jsonb', { name: 'reply_to', nullable: true }) replyTo: Mailbox | null;
  @Column('jsonb', { nullable: true }) headers: Record<string, string> | null;
}

/** What happened to an e-mail: one row for each attempt and each later event, with what the server said. Partitioned by month. */
@Entity('email_events')
export class EmailEventRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid', { name: 'email_id' }) emailId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('text') status: EmailStatus;
  @Column('text') recipient: string;
  @Column({ type: 'timestamptz', precision: 3 }) at: Date;
  @Column('text', { nullable: true }) detail: string | null;
  @Column('smallint', { nullable: true }) attempt: number | null;
  @Column('text', { nullable: true }) stage: string | null;
  @Column('text', { nullable: true }) host: string | null;
  @Column('boolean', { nullable: true }) tls: boolean | null;
  @Column('smallint', { name: 'reply_code', nullable: true }) replyCode: number | null;
  @Column('integer', { name: 'duration_ms', nullable: true }) durationMs: number | null;
}
