import {
  validationVerdicts,
  type ImportStatus,
  type EmailValidationSummary,
  type ValidatedEmail,
  type ValidationCounts,
} from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How the table of a file is written. */
export interface FileLayout {
  delimiter: string;
  /** Where the table begins, after a line that only names the delimiter. */
  start: number;
  headed: boolean;
  /** The column with the addresses. */
  column: number;
}

@Entity('email_validations')
export class EmailValidationRow {
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('text') status: ImportStatus | 'UPLOADING';
  @Column('integer') total: number;
  @Column('integer') processed: number;
  @Column('integer') valid: number;
  @Column('integer') risky: number;
  @Column('integer') invalid: number;
  @Column('integer') unknown: number;
  @Column('jsonb', { nullable: true }) layout: FileLayout | null;
  @Column('integer') pieces: number;
  @Column('integer') position: number;
  @Column('integer') line: number;
  @Column({ type: 'timestamptz', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', precision: 3, nullable: true }) finishedAt: Date | null;

  toSummary(): EmailValidationSummary {
    const { id, processed, valid, risky, invalid, unknown, createdAt, finishedAt } = this;
    const status = this.status === 'UPLOADING' ? 'QUEUED' : this.status;
    // While it runs the total is estimated from the lines.
    const total = status === 'COMPLETED' ? processed : Math.max(this.total, processed);
    const counts = { VALID: valid, RISKY: risky, INVALID: invalid, UNKNOWN: unknown };
    return { id, status, total, processed, counts, createdAt, finishedAt };
  }
}

export function countsOf(results: readonly ValidatedEmail[]): ValidationCounts {
  const counted = validationVerdicts.map((verdict) => [
    verdict,
    results.filter((result) => result.verdict === verdict).length,
  ]);
  return Object.fromEntries(counted) as unknown as ValidationCounts;
}
