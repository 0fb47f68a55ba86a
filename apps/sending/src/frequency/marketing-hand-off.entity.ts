import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A marketing message that was handed off, of a project that limits how many a recipient gets. */
@Entity('marketing_hand_offs')
export class MarketingHandOffRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  /** As erased addresses are stored, so that nothing personal remains in it. */
  @PrimaryColumn('text', { name: 'address_hash' }) addressHash: string;
  @PrimaryColumn('uuid', { name: 'email_id' }) emailId: string;
  @Column({ type: 'timestamptz', precision: 3 }) at: Date;
}
