import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The latest consent of an address. `contact_id` and `seq` order changes. */
@Entity('opt_outs')
export class OptOutRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('text') email: string;
  @Column('boolean', { name: 'opted_out' }) optedOut: boolean;
  /** All zeros for an address without a contact: ids rise with time, so any later contact is newer. */
  @Column('uuid', { name: 'contact_id' }) contactId: string;
  @Column('bigint') seq: number;
  @Column({ type: 'timestamptz', precision: 3 }) since: Date;
  /** An opt-out without a contact. Subscriptions from before it do not undo it, even when their event arrives later. */
  @Column({ type: 'timestamptz', precision: 3, name: 'stranger_at', nullable: true }) strangerAt: Date | null;
}
