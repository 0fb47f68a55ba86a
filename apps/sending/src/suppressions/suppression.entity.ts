import type { SuppressionReason } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('suppressions')
export class SuppressionRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('text') email: string;
  @Column('text') reason: SuppressionReason;
  @Column('text') source: 'API' | 'DASHBOARD' | 'PROVIDER';
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
}
