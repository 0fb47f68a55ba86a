import { isDeepStrictEqual } from 'node:util';
import {
  campaignNotCancellable,
  campaignNotDraft,
  campaignNotEditable,
  campaignNotPaused,
  campaignNotResendable,
  campaignNotSendable,
  campaignNotSending,
  campaignNotSent,
  invalid,
  type AudienceType,
  type Campaign,
  type CampaignComparison,
  type CampaignEvent,
  type CampaignStats,
  type CampaignStatus,
  type CampaignTiming,
  type CampaignVariant,
  type EmailCategory,
  type PauseReason,
  type UpdateCampaign,
} from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { timingFaults, variantFaults } from './campaign-faults.js';
import { audienceFaults } from './audience.js';

const editable: Readonly<Record<CampaignStatus, boolean>> = {
  DRAFT: true,
  SCHEDULED: true,
  SENDING: false,
  PAUSED: false,
  SENT: false,
  CANCELLED: false,
};

const cancellable: Readonly<Record<CampaignStatus, boolean>> = {
  DRAFT: false,
  SCHEDULED: true,
  SENDING: true,
  PAUSED: true,
  SENT: false,
  CANCELLED: false,
};

const nothingSent: CampaignStats = {
  totalRecipients: 0,
  sent: 0,
  delivered: 0,
  opened: 0,
  clicked: 0,
  bounced: 0,
  failed: 0,
};

@Entity('campaigns')
export class CampaignRow {
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('text') name: string;
  @Column('text', { nullable: true }) description: string | null;
  @Column('text', { nullable: true }) subject: string | null;
  @Column('text', { nullable: true }) body: string | null;
  @Column('uuid', { nullable: true }) templateId: string | null;
  @Column('text', { name: 'from_email', nullable: true }) from: string | null;
  @Column('text', { nullable: true }) fromName: string | null;
  @Column('text', { nullable: true }) replyTo: string | null;
  @Column('text') emailCategory: EmailCategory;
  @Column('text') audienceType: AudienceType;
  @Column('jsonb', { nullable: true }) audienceCondition: Record<string, unknown> | null;
  @Column('uuid', { nullable: true }) segmentId: string | null;
  @Column('uuid', { nullable: true }) listId: string | null;
  @Column('uuid', { array: true }) excludeSegmentIds: string[];
  @Column('uuid', { array: true }) excludeListIds: string[];
  @Column('uuid', { nullable: true }) topicId: string | null;
  @Column('integer', { nullable: true }) sendRate: number | null;
  @Column('jsonb', { nullable: true }) variants: CampaignVariant[] | null;
  @Column('jsonb', { nullable: true }) test: CampaignComparison | null;
  @Column('jsonb', { nullable: true }) timing: CampaignTiming | null;
  @Column('uuid', { nullable: true }) resendOfId: string | null;
  @Column('text') status: CampaignStatus;
  @Column('text', { nullable: true }) pausedReason: PauseReason | null;
  /** The sender that was allowed to the caller who scheduled it, where the campaign names none. */
  @Column('text', { nullable: true }) scheduledFrom: string | null;
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  scheduledAt: Date | null;
  @Column({ type: 'timestamptz', precision: 3, nullable: true }) sentAt: Date | null;
  @Column('bigint') seq: number;
  @Column({ type: 'timestamptz', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', precision: 3 }) updatedAt: Date;

  refuseIfNotEditable(): void {
    if (!editable[this.status]) throw campaignNotEditable();
  }

  refuseIfNotDraft(): void {
    if (this.status !== 'DRAFT') throw campaignNotDraft();
  }

  refuseIfNotSendable(): void {
    if (!editable[this.status]) throw campaignNotSendable();
  }

  schedule(at: Date, from: string): void {
    this.refuseIfNotSendable();
    Object.assign(this, { status: 'SCHEDULED', scheduledAt: at, scheduledFrom: this.from ? null : from });
  }

  /** From DRAFT, SCHEDULED, and PAUSED where its schedule was missed. */
  launch(): void {
    Object.assign(this, { status: 'SENDING', pausedReason: null });
  }

  pause(reason: PauseReason): void {
    if (this.status !== 'SENDING' && this.status !== 'SCHEDULED') throw campaignNotSending();
    Object.assign(this, { status: 'PAUSED', pausedReason: reason });
  }

  resume(): void {
    if (this.status !== 'PAUSED') throw campaignNotPaused();
    Object.assign(this, { status: 'SENDING', pausedReason: null });
  }

  cancel(): void {
    if (!cancellable[this.status]) throw campaignNotCancellable();
    Object.assign(this, { status: 'CANCELLED', pausedReason: null });
  }

  refuseIfNotSent(): void {
    if (this.status !== 'SENT') throw campaignNotResendable();
  }

  retry(): void {
    if (this.status !== 'SENT') throw campaignNotSent();
    this.status = 'SENDING';
  }

  finish(at: Date): void {
    Object.assign(this, { status: 'SENT', sentAt: this.sentAt ?? at });
  }

  refuseFaults(): void {
    const faults = [...audienceFaults(this), ...variantFaults(this), ...timingFaults(this)];
    if (faults.length > 0) throw invalid(faults);
  }

  change(changes: UpdateCampaign): boolean {
    this.refuseIfNotEditable();
    const before = { ...this };
    Object.assign(this, changes);
    this.refuseFaults();
    return !isDeepStrictEqual({ ...this }, before);
  }

  toCampaign(stats: CampaignStats = nothingSent): Campaign {
    const { seq: _, scheduledFrom: _from, ...shown } = this;
    return { ...shown, stats };
  }

  toEvent(): CampaignEvent {
    return { campaignId: this.id, name: this.name, at: this.updatedAt, seq: this.seq };
  }

  toDeletedEvent(at: Date): CampaignEvent {
    return { ...this.toEvent(), at, seq: this.seq + 1 };
  }
}
