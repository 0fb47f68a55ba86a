import type { UpdateWebhook, Webhook, WebhookEventType, WebhookStatus } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('webhooks')
export class WebhookRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('text') url: string;
  @Column('text', { nullable: true }) description: string | null;
  @Column('text', { name: 'event_types', array: true }) eventTypes: WebhookEventType[];
  @Column('text') status: WebhookStatus;
  @Column('text', { name: 'disabled_reason', nullable: true }) disabledReason: string | null;
  /** Sealed. */
  @Column('text') secret: string;
  @Column('text', { name: 'previous_secret', nullable: true }) previousSecret: string | null;
  @Column({ type: 'timestamptz', name: 'previous_until', nullable: true }) previousUntil: Date | null;
  @Column('integer', { name: 'failures_in_row' }) failuresInRow: number;
  @Column({ type: 'timestamptz', name: 'failing_since', nullable: true }) failingSince: Date | null;
  @Column({ type: 'timestamptz', name: 'last_success_at', precision: 3, nullable: true }) lastSuccessAt: Date | null;
  @Column('bigint') seq: number;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt: Date;

  /** ACTIVE forgets the failures that disabled it. */
  change(changes: UpdateWebhook): void {
    Object.assign(this, changes);
    if (changes.status === 'ACTIVE')
      Object.assign(this, { disabledReason: null, failuresInRow: 0, failingSince: null });
  }

  toWebhook(): Webhook {
    const { id, url, description, eventTypes, status, disabledReason, lastSuccessAt, createdAt, updatedAt } = this;
    return { id, url, description, eventTypes, status, disabledReason, lastSuccessAt, createdAt, updatedAt };
  }
}
