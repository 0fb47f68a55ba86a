import {
  validationDays,
  validationNotFound,
  type ListEmailValidations,
  type ValidatedEmail,
} from '@posthorn/contracts';
import { newId, ScopedRepository, type Database, type Page } from '@posthorn/database';
import { countsOf, EmailValidationRow } from './email-validation.entity.js';

interface ResultRow extends Omit<ValidatedEmail, 'checks'> {
  syntax: boolean;
  mx: boolean | null;
  role: boolean | null;
  disposable: boolean | null;
  free: boolean | null;
  suppressed: boolean | null;
}

export class EmailValidationsRepository extends ScopedRepository<EmailValidationRow> {
  constructor(database: Database) {
    super(database, EmailValidationRow, validationNotFound);
  }

  async add(projectId: string, results: readonly ValidatedEmail[]): Promise<EmailValidationRow> {
    const id = newId();
    const { VALID: valid, RISKY: risky, INVALID: invalid, UNKNOWN: unknown } = countsOf(results);
    await this.rows.insert({ projectId, id, total: results.length, valid, risky, invalid, unknown });
    await this.database.query(addResultsSql, [
      projectId,
      id,
      JSON.stringify(results.map(({ checks, ...result }) => ({ ...result, ...checks }))),
    ]);
    return this.findOrFail(projectId, id);
  }

  list(projectId: string, request: ListEmailValidations): Promise<Page<EmailValidationRow>> {
    return this.page(projectId, request);
  }

  total(projectId: string) {
    return this.matches(projectId, []);
  }

  async resultsOf(projectId: string, id: string): Promise<ValidatedEmail[]> {
    const rows = await this.database.query<ResultRow>(
      `SELECT email, verdict, reason, suggestion, syntax, mx, role, disposable, free, suppressed
       FROM email_validation_results WHERE project_id = $1 AND validation_id = $2 ORDER BY position`,
      [projectId, id],
    );
    return rows.map(({ syntax, mx, role, disposable, free, suppressed, ...result }) => ({
      ...result,
      checks: { syntax, mx, role, disposable, free, suppressed },
    }));
  }

  /** Of all projects. Returns whether there may be more. */
  async deleteOld(limit: number): Promise<boolean> {
    return (await this.database.query(deleteOldSql, [limit])).length === limit;
  }
}

const addResultsSql = `
  INSERT INTO email_validation_results
    (project_id, validation_id, position, email, verdict, reason, suggestion, syntax, mx, role, disposable, free, suppressed)
  SELECT $1, $2, r.position, r.email, r.verdict, r.reason, r.suggestion, r.syntax, r.mx, r.role, r.disposable, r.free, r.suppressed
  FROM ROWS FROM (jsonb_to_recordset($3::jsonb) AS (
    email text, verdict text, reason text, suggestion text,
    syntax boolean, mx boolean, role boolean, disposable boolean, free boolean, suppressed boolean
  )) WITH ORDINALITY AS r (email, verdict, reason, suggestion, syntax, mx, role, disposable, free, suppressed, position)`;

const deleteOldSql = `
  WITH old AS (
    SELECT project_id, id FROM email_validations
    WHERE created_at < now() - interval '${validationDays} days' ORDER BY created_at LIMIT $1
  ), results AS (
    DELETE FROM email_validation_results r USING old WHERE r.project_id = old.project_id AND r.validation_id = old.id
  )
  DELETE FROM email_validations v USING old WHERE v.project_id = old.project_id AND v.id = old.id RETURNING 1`;
