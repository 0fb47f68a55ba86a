import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('contact_counts')
export class ContactCountRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @Column('bigint') total: number;
  @Column('bigint') subscribed: number;
}

@Entity('contact_count_deltas')
export class ContactCountDelta {
  @PrimaryColumn('bigint') id: number;
  @Column('uuid', { name: 'project_id' }) projectId: string;
  @Column('integer') total: number;
  @Column('integer') subscribed: number;
}
