import {
  validationDays,
  validationNotFound,
  type ListEmailValidations,
  type ValidatedEmail,
  type ValidatedLine,
  type ValidationVerdict,
} from '@posthorn/contracts';
import { newId, ScopedRepository, type Database, type Page } from '@posthorn/database';
import { countsOf, EmailValidationRow } from './email-validation.entity.js';

interface ResultRow extends Omit<ValidatedLine, 'checks'> {
  syntax: boolean;
  mx: boolean | null;
  role: boolean | null;
  disposable: boolean | null;
  free: boolean | null;
  suppressed: boolean | null;
}

interface WantedResults {
  verdict?: ValidationVerdict | undefined;
  afterLine: number;
  limit: number;
}

/** What is validated, and what was found; of files see FileValidationsRepository, too. */
export class EmailValidationsRepository extends ScopedRepository<EmailValidationRow> {
  constructor(database: Database) {
    super(database, EmailValidationRow, validationNotFound);
  }

  /** Of addresses that were looked at already. */
  async add(projectId: string, results: readonly ValidatedEmail[]): Promise<EmailValidationRow> {
    const id = newId();
    const { VALID: valid, RISKY: risky, INVALID: invalid, UNKNOWN: unknown } = countsOf(results);
    const { length: total } = results;
    const counts = { total, processed: total, valid, risky, invalid, unknown };
    await this.rows.insert({ projectId, id, status: 'COMPLETED', ...counts, finishedAt: () => 'now()' });
    const lines = results.map((result, index) => ({ ...result, line: index + 1 }));
    await this.addResults({ projectId, id }, lines);
    return this.findOrFail(projectId, id);
  }

  async addResults(
    { projectId, id }: Pick<EmailValidationRow, 'projectId' | 'id'>,
    results: readonly ValidatedLine[],
  ): Promise<void> {
    const rows = results.map(({ checks, ...result }) => ({ ...result, ...checks }));
    await this.database.query(addResultsSql, [projectId, id, JSON.stringify(rows)]);
  }

  list(projectId: string, request: ListEmailValidations): Promise<Page<EmailValidationRow>> {
    return this.page(projectId, request);
  }

  total(projectId: string) {
    return this.matches(projectId, []);
  }

  async resultsOf(
    projectId: string,
    id: string,
    { verdict, afterLine, limit }: WantedResults,
  ): Promise<ValidatedLine[]> {
    const rows = await this.database.query<ResultRow>(
      `SELECT line, email, verdict, reason, suggestion, syntax, mx, role, disposable, free, suppressed
       FROM email_validation_results
       WHERE project_id = $1 AND validation_id = $2 AND line > $3 AND ($4::text IS NULL OR verdict = $4)
       ORDER BY line LIMIT $5`,
      [projectId, id, afterLine, verdict ?? null, limit],
    );
    return rows.map(({ syntax, mx, role, disposable, free, suppressed, ...result }) => ({
      ...result,
      checks: { syntax, mx, role, disposable, free, suppressed },
    }));
  }

  /** Of all projects: results first, so that one of a large file takes several rounds. Returns whether there may be more. */
  async deleteOld(limit: number): Promise<boolean> {
    const results = await this.database.query(deleteOldResultsSql, [limit]);
    if (results.length === limit) return true;
    return (await this.database.query(deleteOldSql, [limit])).length === limit;
  }
}

const addResultsSql = `
  INSERT INTO email_validation_results
    (project_id, validation_id, line, email, verdict, reason, suggestion, syntax, mx, role, disposable, free, suppressed)
  SELECT $1, $2, r.line, r.email, r.verdict, r.reason, r.suggestion, r.syntax, r.mx, r.role, r.disposable, r.free, r.suppressed
  FROM jsonb_to_recordset($3::jsonb) AS r (
    line integer, email text, verdict text, reason text, suggestion text,
    syntax boolean, mx boolean, role boolean, disposable boolean, free boolean, suppressed boolean
  )`;

const isOld = `v.created_at < now() - interval '${validationDays} days'`;

const deleteOldResultsSql = `
  DELETE FROM email_validation_results WHERE ctid = ANY (ARRAY(
    SELECT r.ctid FROM email_validations v
    JOIN email_validation_results r ON r.project_id = v.project_id AND r.validation_id = v.id
    WHERE ${isOld} LIMIT $1
  )) RETURNING 1`;

const deleteOldSql = `
  DELETE FROM email_validations d WHERE (project_id, id) IN (
    SELECT v.project_id, v.id FROM email_validations v
    WHERE ${isOld} AND v.finished_at IS NOT NULL
      AND NOT EXISTS (SELECT FROM email_validation_results r WHERE r.project_id = v.project_id AND r.validation_id = v.id)
    ORDER BY v.created_at LIMIT $1
  ) RETURNING 1`;
