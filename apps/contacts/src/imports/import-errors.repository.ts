import type { ContactImportError } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';

/** What became of rows that could not be taken in. */
export class ImportErrorsRepository {
  constructor(private readonly database: Database) {}

  async add({ projectId, id }: { projectId: string; id: string }, errors: readonly ContactImportError[]): Promise<void> {
    if (errors.length === 0) return;
    await this.database.query(
      `INSERT INTO import_errors (project_id, import_id, line, reason)
       SELECT $1, $2, line, reason FROM unnest($3::bigint[], $4::text[]) AS e (line, reason) ON CONFLICT DO NOTHING`,
      [projectId, id, errors.map(({ line }) => line), errors.map(({ reason }) => reason)],
    );
  }

  list(projectId: string, id: string, after: number, limit: number): Promise<ContactImportError[]> {
    return this.database.query(
      `SELECT line, reason FROM import_errors WHERE project_id = $1 AND import_id = $2 AND line > $3 ORDER BY line LIMIT $4`,
      [projectId, id, after, limit],
    );
  }
}
