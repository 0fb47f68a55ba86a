import type { RecipientOutcome, RecipientReason } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The ledger: one row for each contact of an audience, written when sending starts; it ends with an outcome and a reason. */
@Entity('recipients')
export class RecipientRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid', { name: 'campaign_id' }) campaignId: string;
  @PrimaryColumn('uuid', { name: 'contact_id' }) contactId: string;
  /** Created with the row, so that handing it over twice sends one e-mail. Rows are handed over and listed in its order. */
  @Column('uuid', { name: 'email_id' }) emailId: string;
  @Column('text') email: string;
  @Column('text') outcome: RecipientOutcome;
  @Column('text', { nullable: true }) reason: RecipientReason | null;
  @Column('boolean', { name: 'handed_over' }) handedOver: boolean;
  /** The index of the variant that it gets; null without variants, or until there is a winner. */
  @Column('smallint', { nullable: true }) variant: number | null;
  @Column('boolean', { name: 'waits_for_winner' }) waitsForWinner: boolean;
  /** With a timing of its campaign; null: at once. */
  @Column({ type: 'timestamptz', name: 'due_at', precision: 3, nullable: true }) dueAt: Date | null;
  @Column('text', { name: 'time_zone', nullable: true }) timeZone: string | null;
  /** What was reported of its e-mail, as bits (results/report.ts). */
  @Column('smallint', { name: 'reported_bits' }) reportedBits: number;
  @Column({ type: 'timestamptz', precision: 3, nullable: true }) at: Date | null;
}

/** Sums over the rows of a campaign, changed in the transactions that change rows. */
@Entity('campaign_counts')
export class CampaignCountRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid', { name: 'campaign_id' }) campaignId: string;
  @Column('integer') total: number;
  /** Handed over and without an outcome. */
  @Column('integer', { name: 'in_hand' }) inHand: number;
  @Column('integer') sent: number;
  @Column('integer') skipped: number;
  @Column('integer') failed: number;
  @Column('integer') delivered: number;
  @Column('integer') opened: number;
  @Column('integer') clicked: number;
  @Column('integer') bounced: number;
  @Column('integer') complained: number;
  @Column('integer') unsubscribed: number;
}

@Entity('variant_counts')
export class VariantCountRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid', { name: 'campaign_id' }) campaignId: string;
  @PrimaryColumn('smallint') variant: number;
  /** Handed over. */
  @Column('integer') recipients: number;
  @Column('integer') sent: number;
  @Column('integer') opened: number;
  @Column('integer') clicked: number;
}
