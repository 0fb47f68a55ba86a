import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What an address last said of marketing mail. The contact and its `seq` tell an older word from a newer one. */
@Entity('opt_outs')
export class OptOutRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('text') email: string;
  @Column('boolean', { name: 'opted_out' }) optedOut: boolean;
  /** Zeroes where a stranger opted out: ids of contacts rise with time, so whatever contact comes later is newer. */
  @Column('uuid', { name: 'contact_id' }) contactId: string;
  @Column('bigint') seq: number;
  @Column({ type: 'timestamptz', precision: 3 }) since: Date;
  /** When the address last opted out without a contact: a subscription from before does not undo that, however late it is told. */
  @Column({ type: 'timestamptz', precision: 3, name: 'stranger_at', nullable: true }) strangerAt: Date | null;
}
