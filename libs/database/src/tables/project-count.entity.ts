import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('project_counts')
export class ProjectCountRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('text') counted: string;
  @Column('bigint') total: number;
}
