import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How many contacts a project has, without the changes that are not folded in yet. */
@Entity('contact_counts')
export class ContactCountRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @Column('bigint') total: number;
  @Column('bigint') subscribed: number;
}

/** One change of these counts, appended in the statement that caused it: writers never wait for one another. */
@Entity('contact_count_deltas')
export class ContactCountDelta {
  @PrimaryColumn('bigint') id: number;
  @Column('uuid', { name: 'project_id' }) projectId: string;
  @Column('integer') total: number;
  @Column('integer') subscribed: number;
}
