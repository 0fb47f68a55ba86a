import type {
  UpdateWebhook,
  Webhook,
  WebhookChanged,
  WebhookDeleted,
  WebhookEventType,
  WebhookStatus,
} from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('webhooks')
export class WebhookRow {
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('text') url: string;
  @Column('text', { nullable: true }) description: string | null;
  @Column('text', { array: true }) eventTypes: WebhookEventType[];
  @Column('text') status: WebhookStatus;
  @Column('text', { nullable: true }) disabledReason: string | null;
  /** Calls of an earlier one are not made any more: they were waiting when the subscription stopped. */
  @Column('integer') generation: number;
  @Column('bigint') seq: number;
  @Column({ type: 'timestamptz', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', precision: 3 }) updatedAt: Date;

  get isActive(): boolean {
    return this.status === 'ACTIVE';
  }

  change({ eventTypes = this.eventTypes, ...others }: UpdateWebhook): void {
    const wasActive = this.isActive;
    Object.assign(this, others, { eventTypes: [...new Set(eventTypes)] });
    if (wasActive && !this.isActive) this.generation += 1;
    if (this.status !== 'DISABLED') this.disabledReason = null;
  }

  toWebhook(lastSuccessAt: Date | null): Webhook {
    const { id, url, description, eventTypes, status, disabledReason, createdAt, updatedAt } = this;
    return { id, url, description, eventTypes, status, disabledReason, lastSuccessAt, createdAt, updatedAt };
  }

  toEvent(): WebhookChanged {
    const { id: webhookId, status, eventTypes, updatedAt: at, seq } = this;
    return { webhookId, status, eventTypes, at, seq };
  }

  toDeletedEvent(at: Date): WebhookDeleted {
    return { webhookId: this.id, at };
  }
}
