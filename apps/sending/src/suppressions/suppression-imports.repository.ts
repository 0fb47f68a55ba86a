import { newId, ScopedRepository, type Database } from '@posthorn/database';
import { SuppressionImportRow } from './suppression-import.entity.js';

/** What one batch did. */
export interface BatchCounts {
  processed: number;
  created: number;
  skipped: number;
  failed: number;
}

const batchSeconds = 15;

export class SuppressionImportsRepository extends ScopedRepository<SuppressionImportRow> {
  constructor(database: Database) {
    super(database, SuppressionImportRow);
  }

  async insert(
    projectId: string,
    { csv, source, total }: Pick<SuppressionImportRow, 'csv' | 'source' | 'total'>,
  ): Promise<SuppressionImportRow> {
    const id = newId();
    await this.rows.insert({ projectId, id, csv, source, total, status: 'QUEUED' });
    return this.rows.findOneByOrFail({ projectId, id });
  }

  /** The oldest one that nobody works on, of whichever project; what a dead process had is free after a while. */
  async take(): Promise<SuppressionImportRow | null> {
    const [taken] = await this.database.query<{ projectId: string; id: string }>(
      `UPDATE suppression_imports SET status = 'RUNNING', taken_until = now() + interval '${batchSeconds} seconds'
       WHERE (project_id, id) = (
         SELECT project_id, id FROM suppression_imports WHERE finished_at IS NULL AND coalesce(taken_until, now()) <= now()
         ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING project_id AS "projectId", id`,
    );
    return taken ? this.find(taken.projectId, taken.id) : null;
  }

  /** Of a locked row. */
  async advance({ projectId, id }: SuppressionImportRow, done: BatchCounts): Promise<void> {
    await this.database.query(
      `UPDATE suppression_imports SET processed = processed + $3, created = created + $4, skipped = skipped + $5, failed = failed + $6,
         taken_until = now() + interval '${batchSeconds} seconds'
       WHERE project_id = $1 AND id = $2`,
      [projectId, id, done.processed, done.created, done.skipped, done.failed],
    );
  }

  /** Its words are done with. */
  async finish({ projectId, id }: SuppressionImportRow, status: 'COMPLETED' | 'FAILED'): Promise<void> {
    await this.database.query(
      `UPDATE suppression_imports SET status = $3, csv = '', finished_at = clock_timestamp() WHERE project_id = $1 AND id = $2 AND finished_at IS NULL`,
      [projectId, id, status],
    );
  }

  /** Somebody may go on at once. */
  async leave({ projectId, id }: SuppressionImportRow): Promise<void> {
    await this.database.query(`UPDATE suppression_imports SET taken_until = NULL WHERE project_id = $1 AND id = $2`, [projectId, id]);
  }
}
