import {
  validationVerdicts,
  type EmailValidationSummary,
  type ValidatedEmail,
  type ValidationCounts,
} from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('email_validations')
export class EmailValidationRow {
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('integer') total: number;
  @Column('integer') valid: number;
  @Column('integer') risky: number;
  @Column('integer') invalid: number;
  @Column('integer') unknown: number;
  @Column({ type: 'timestamptz', precision: 3 }) createdAt: Date;

  toSummary(): EmailValidationSummary {
    const { id, total, valid, risky, invalid, unknown, createdAt } = this;
    return {
      id,
      total,
      counts: { VALID: valid, RISKY: risky, INVALID: invalid, UNKNOWN: unknown },
      createdAt,
    };
  }
}

export function countsOf(results: readonly ValidatedEmail[]): ValidationCounts {
  const counted = validationVerdicts.map((verdict) => [
    verdict,
    results.filter((result) => result.verdict === verdict).length,
  ]);
  return Object.fromEntries(counted) as unknown as ValidationCounts;
}
