import type { WinnerDecision } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('launches')
export class LaunchRow {
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') campaignId: string;
  @Column('uuid') contentId: string;
  /** Of each variant; empty without variants. */
  @Column('uuid', { array: true }) variantContents: string[];
  @Column('smallint', { nullable: true }) winner: number | null;
  @Column('text', { nullable: true }) decidedBy: WinnerDecision | null;
  /** As it was launched; Liquid. */
  @Column('text') subject: string;
  @Column('text', { name: 'from_email' }) from: string;
  @Column('boolean') tracksOpens: boolean;
  /** Contacts that were created later do not belong to the audience. */
  @Column({ type: 'timestamptz', precision: 3 }) launchedAt: Date;
  /** The last contact that has its row in the ledger; null before the first page. */
  @Column('uuid', { nullable: true }) frozenTo: string | null;
  /** Everybody of the audience has a row. */
  @Column('boolean') isFrozen: boolean;
  /** When the next message may leave, for a campaign with a rate of its own. */
  @Column('timestamptz', { nullable: true }) nextDueAt: Date | null;
  @Column('uuid', { nullable: true }) archiveId: string | null;
  /** The last turn of its work: a long gap shows an outage or a restored copy. */
  @Column('timestamptz') movedAt: Date;
  /** In which it was launched or resumed last. */
  @Column('text') databaseIdentity: string;
  /** Computed: this database is a restored copy of that one. */
  isCopy: boolean;
}
