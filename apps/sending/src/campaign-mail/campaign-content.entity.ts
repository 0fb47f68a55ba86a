import type { EmailCategory, Mailbox } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('campaign_contents')
export class CampaignContentRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'campaign_id' }) campaignId: string;
  @Column('uuid', { name: 'list_id', nullable: true }) listId: string | null;
  @Column('text', { name: 'accepted_by' }) acceptedBy: string;
  @Column('text', { name: 'from_email' }) fromEmail: string;
  @Column('text', { name: 'from_name', nullable: true }) fromName: string | null;
  @Column('text') category: EmailCategory;
  @Column('text') subject: string;
  /** Empty where it is that of the template. */
  @Column('text') html: string;
  @Column('jsonb', { name: 'reply_to', nullable: true }) replyTo: Mailbox | null;
  @Column('uuid', { name: 'template_id', nullable: true }) templateId: string | null;
  @Column('integer', { name: 'template_version', nullable: true }) templateVersion: number | null;
  @Column('boolean') liquid: boolean;
  @Column('jsonb', { name: 'snippets', nullable: true }) snippetVersions: Record<string, string> | null;
  @Column('boolean', { name: 'track_opens' }) trackOpens: boolean;
  @Column('boolean', { name: 'track_clicks' }) trackClicks: boolean;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
}
