import { maxRejectedRow, type ContactImportError } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';

export class ImportErrorsRepository {
  constructor(private readonly database: Database) {}

  async add(
    { projectId, id }: { projectId: string; id: string },
    errors: readonly ContactImportError[],
  ): Promise<void> {
    if (errors.length === 0) return;
    await this.database.query(
      `INSERT INTO import_errors (project_id, import_id, line, reason)
       SELECT $1, $2, line, reason FROM unnest($3::bigint[], $4::text[]) AS e (line, reason) ON CONFLICT DO NOTHING`,
      [projectId, id, errors.map(({ line }) => line), errors.map(({ reason }) => reason)],
    );
    const stored = errors.filter(({ cells }) => isStored(cells));
    if (stored.length === 0) return;
    await this.database.query(
      `INSERT INTO import_rejected_rows (project_id, import_id, line, cells)
       SELECT $1, $2, line, cells::jsonb FROM unnest($3::bigint[], $4::text[]) AS e (line, cells) ON CONFLICT DO NOTHING`,
      [projectId, id, stored.map(({ line }) => line), stored.map(({ cells }) => JSON.stringify(cells))],
    );
  }

  async list(projectId: string, id: string, after: number, limit: number): Promise<ContactImportError[]> {
    const rows = await this.database.query<ContactImportError & { cells: string[] | null }>(
      `SELECT line, reason, cells FROM import_errors LEFT JOIN import_rejected_rows USING (project_id, import_id, line)
       WHERE project_id = $1 AND import_id = $2 AND line > $3 ORDER BY line LIMIT $4`,
      [projectId, id, after, limit],
    );
    return rows.map(({ line, reason, cells }) => ({ line, reason, ...(cells ? { cells } : {}) }));
  }

  async deleteRows(projectId: string, importId: string, limit: number): Promise<boolean> {
    const removed = await this.database.query(
      `DELETE FROM import_rejected_rows WHERE project_id = $1 AND import_id = $2 AND line = ANY (ARRAY(
         SELECT line FROM import_rejected_rows WHERE project_id = $1 AND import_id = $2 ORDER BY line LIMIT $3)) RETURNING 1`,
      [projectId, importId, limit],
    );
    return removed.length < limit;
  }
}

/** A malformed row has no cells. */
const isStored = (cells: readonly string[] = []): boolean =>
  cells.length > 0 && cells.reduce((sum, cell) => sum + cell.length, 0) <= maxRejectedRow;
