import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Hand-offs that a project may still make in this month (UTC). Without a row there is no limit and no counting. */
@Entity('allowances')
export class AllowanceRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('text') category: 'TRANSACTIONAL' | 'MARKETING';
  @Column('integer') monthly: number;
  @Column('date') month: string;
  @Column('integer') used: number;
}
