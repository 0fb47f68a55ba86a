import type { EmailCategory, Mailbox } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('campaign_contents')
export class CampaignContentRow {
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') campaignId: string;
  @Column('uuid', { nullable: true }) listId: string | null;
  @Column('uuid', { nullable: true }) topicId: string | null;
  @Column('text') acceptedBy: string;
  @Column('text') fromEmail: string;
  @Column('text', { nullable: true }) fromName: string | null;
  @Column('text') category: EmailCategory;
  @Column('text') subject: string;
  /** Empty where it is that of the template. */
  @Column('text') html: string;
  @Column('jsonb', { nullable: true }) replyTo: Mailbox | null;
  @Column('uuid', { nullable: true }) templateId: string | null;
  @Column('integer', { nullable: true }) templateVersion: number | null;
  @Column('boolean') liquid: boolean;
  @Column('jsonb', { name: 'snippets', nullable: true }) snippetVersions: Record<string, string> | null;
  @Column('boolean') trackOpens: boolean;
  @Column('boolean') trackClicks: boolean;
  @Column({ type: 'timestamptz', precision: 3 }) createdAt: Date;
}
