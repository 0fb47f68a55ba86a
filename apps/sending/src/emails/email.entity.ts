import type { EmailStatus, FailureKind, Mailbox, Stream } from '@posthorn/contracts';
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
  /** Made by Postgres: the status, where it is none of the usual ones, so that an index can name it (docs/decisions/0010). */
  @Column('text', { name: 'rare_status', nullable: true }) rareStatus: EmailStatus | 'VOIDED' | null;
  @Column('text', { name: 'failure_kind', nullable: true }) failureKind: FailureKind | null;
  @Column('text', { nullable: true }) error: string | null;
  /** Marketing mail waits in the bulk lane and bears an unsubscribe link. */
  @Column('text') category: Stream;
  /** Whom the headers show beside the recipient; blind copies stand in `deliveries` only. */
  @Column('jsonb', { nullable: true }) copies: { to?: Mailbox[]; cc?: Mailbox[] } | null;
  @Column('uuid', { name: 'template_id', nullable: true }) templateId: string | null;
  @Column({ type: 'timestamptz', name: 'scheduled_at', precision: 3, nullable: true })
  scheduledAt: Date | null;
  @Column('text', { name: 'source_type' }) sourceType: SourceType;
  @Column('text', { array: true }) tags: string[];
  @Column('jsonb') metadata: Record<string, string>;
  @Column('integer') opens: number;
  @Column('integer') clicks: number;
  @Column({ type: 'timestamptz', name: 'sent_at', precision: 3, nullable: true }) sentAt: Date | null;
  @Column({ type: 'timestamptz', name: 'delivered_at', precision: 3, nullable: true })
  deliveredAt: Date | null;
  @Column({ type: 'timestamptz', name: 'bounced_at', precision: 3, nullable: true }) bouncedAt: Date | null;
  @Column({ type: 'timestamptz', name: 'opened_at', precision: 3, nullable: true }) openedAt: Date | null;
  @Column({ type: 'timestamptz', name: 'clicked_at', precision: 3, nullable: true }) clickedAt: Date | null;
  @Column({ type: 'timestamptz', name: 'complained_at', precision: 3, nullable: true })
  complainedAt: Date | null;
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
  /** The source of the e-mail's subject, where that is rendered. */
  @Column('text', { nullable: true }) subject: string | null;
  /** The words of which template; what the call said itself stands in the columns above and goes first. */
  @Column('uuid', { name: 'template_id', nullable: true }) templateId: string | null;
  @Column('integer', { name: 'template_version', nullable: true }) templateVersion: number | null;
  /** Words that are to be rendered; those of the compatibility dialect are taken as they stand. */
  @Column('boolean') liquid: boolean;
  @Column('jsonb', { nullable: true }) data: Record<string, unknown> | null;
  /** Name → id of the version that counts, for all that the words include. */
  @Column('jsonb', { nullable: true }) snippets: Record<string, string> | null;
  @Column('boolean', { name: 'track_opens' }) trackOpens: boolean;
  @Column('boolean', { name: 'track_clicks' }) trackClicks: boolean;
  /** What `email_attachments` holds the bytes of, in order. */
  @Column('jsonb', { nullable: true }) attachments: StoredAttachment[] | null;
}

export interface StoredAttachment {
  filename: string;
  contentType: string;
  contentId: string | null;
  disposition: 'attachment' | 'inline';
  size: number;
}

/** The bytes of attachments in pieces of 256 KiB. Partitioned by week, as contents are. */
@Entity('email_attachments')
export class EmailAttachmentRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid', { name: 'content_id' }) contentId: string;
  @PrimaryColumn('smallint') position: number;
  @PrimaryColumn('smallint') chunk: number;
  @Column('bytea') data: Buffer;
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
