import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Sums over the rows of a campaign, changed in the transactions that change rows. */
@Entity('campaign_counts')
export class CampaignCountRow {
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') campaignId: string;
  @Column('integer') total: number;
  /** Handed over and without an outcome. */
  @Column('integer') inHand: number;
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
