import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('list_counts')
export class ListCountRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid', { name: 'list_id' }) listId: string;
  @Column('bigint') pending: number;
  @Column('bigint') confirmed: number;
  @Column('bigint') unsubscribed: number;
}

@Entity('list_count_deltas')
export class ListCountDelta {
  @PrimaryColumn('bigint') id: number;
  @Column('uuid', { name: 'project_id' }) projectId: string;
  @Column('uuid', { name: 'list_id' }) listId: string;
  @Column('bigint') pending: number;
  @Column('bigint') confirmed: number;
  @Column('bigint') unsubscribed: number;
}
