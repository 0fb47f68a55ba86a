import type { CampaignMailState } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Whether mail of a campaign may be handed to the mail server; read by every mark. */
@Entity('campaign_states')
export class CampaignStateRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid', { name: 'campaign_id' }) campaignId: string;
  @Column('text') state: CampaignMailState;
  @Column('bigint') seq: number;
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt: Date;
}
