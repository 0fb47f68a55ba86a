import type { ImportStatus, SuppressionImport } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('suppression_imports')
export class SuppressionImportRow {
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('text') status: ImportStatus;
  /** Empty once it is finished. */
  @Column('text') csv: string;
  @Column('text') source: 'API' | 'DASHBOARD' | 'PROVIDER';
  @Column('integer') total: number;
  @Column('integer') processed: number;
  @Column('integer') created: number;
  @Column('integer') skipped: number;
  @Column('integer') failed: number;
  @Column({ type: 'timestamptz', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', precision: 3, nullable: true }) finishedAt: Date | null;

  toImport(): SuppressionImport {
    const { id, status, total, processed, created, skipped, failed, createdAt, finishedAt } = this;
    return { id, status, total, processed, created, updated: 0, skipped, failed, createdAt, finishedAt };
  }
}
