import type { WinnerDecision } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('launches')
export class LaunchRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid', { name: 'campaign_id' }) campaignId: string;
  @Column('uuid', { name: 'content_id' }) contentId: string;
  /** Of each variant; empty without variants. */
  @Column('uuid', { name: 'variant_contents', array: true }) variantContents: string[];
  @Column('smallint', { nullable: true }) winner: number | null;
  @Column('text', { name: 'decided_by', nullable: true }) decidedBy: WinnerDecision | null;
  /** As it was launched; Liquid. */
  @Column('text') subject: string;
  @Column('text', { name: 'from_email' }) from: string;
  @Column('boolean', { name: 'tracks_opens' }) tracksOpens: boolean;
  /** Contacts that were created later do not belong to the audience. */
  @Column({ type: 'timestamptz', name: 'launched_at', precision: 3 }) launchedAt: Date;
  /** The last contact that has its row in the ledger; null before the first page. */
  @Column('uuid', { name: 'frozen_to', nullable: true }) frozenTo: string | null;
  /** Everybody of the audience has a row. */
  @Column('boolean', { name: 'is_frozen' }) isFrozen: boolean;
  /** When the next message may leave, for a campaign with a rate of its own. */
  @Column('timestamptz', { name: 'next_due_at', nullable: true }) nextDueAt: Date | null;
  @Column('uuid', { name: 'archive_id', nullable: true }) archiveId: string | null;
  /** The last turn of its work: a long gap shows an outage or a restored copy. */
  @Column('timestamptz', { name: 'moved_at' }) movedAt: Date;
  /** In which it was launched or resumed last. */
  @Column('text', { name: 'database_identity' }) databaseIdentity: string;
  /** Computed: this database is a restored copy of that one. */
  isCopy: boolean;
}
