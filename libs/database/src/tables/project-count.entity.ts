import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How many rows of one table a project has. */
@Entity('project_counts')
export class ProjectCountRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  /** The table. */
  @PrimaryColumn('text') counted: string;
  @Column('bigint') total: number;
}
