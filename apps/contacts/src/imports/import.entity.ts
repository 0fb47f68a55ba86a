import type { ContactImport, ImportMode, ImportStatus } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { WriteOrigin } from '../contacts/writes/contact-write.js';
import { currentLayout, type ImportLayout } from './table/import-layout.js';

/** Each processed row is counted in exactly one of the other four. */
export interface ImportCounts {
  processed: number;
  created: number;
  updated: number;
  skipped: number;
  failed: number;
}

@Entity('imports')
export class ImportRow {
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('text') status: ImportStatus | 'UPLOADING';
  @Column('text') mode: ImportMode;
  @Column('uuid', { array: true }) listIds: string[];
  @Column('boolean', { nullable: true }) subscribed: boolean | null;
  /** Also those who unsubscribed here. */
  @Column('boolean') resubscribe: boolean;
  @Column('jsonb') origin: WriteOrigin;
  @Column('jsonb', { transformer: { from: currentLayout, to: (layout: ImportLayout) => layout } })
  layout: ImportLayout;
  /** Number of pieces that were uploaded; 0 once they are deleted. */
  @Column('integer') pieces: number;
  /** Byte offset of the first row that is not processed; updated in the commit of the rows before it. */
  @Column('bigint') position: number;
  @Column('bigint') line: number;
  @Column('bigint') total: number;
  @Column('bigint') processed: number;
  @Column('bigint') created: number;
  @Column('bigint') updated: number;
  @Column('bigint') skipped: number;
  @Column('bigint') failed: number;
  @Column({ type: 'timestamptz', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', precision: 3, nullable: true }) finishedAt: Date | null;

  toImport(): ContactImport {
    const { id, processed, created, updated, skipped, failed, createdAt, finishedAt } = this;
    const status = this.status === 'UPLOADING' ? 'QUEUED' : this.status;
    // While it runs the total is estimated from the lines.
    const total = status === 'COMPLETED' ? processed : Math.max(this.total, processed);
    return { id, status, total, processed, created, updated, skipped, failed, createdAt, finishedAt };
  }
}
