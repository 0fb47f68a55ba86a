import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How many hand-offs a project may still make this month (UTC). Without a row there is no limit, and nothing is counted. */
@Entity('allowances')
export class AllowanceRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('text') category: 'TRANSACTIONAL' | 'MARKETING';
  @Column('integer') monthly: number;
  @Column('date') month: string;
  @Column('integer') used: number;
}
