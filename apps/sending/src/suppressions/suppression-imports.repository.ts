import { importNotFound, maxOpenSuppressionImports, tooManySuppressionImports } from '@posthorn/contracts';
import { newId, ScopedRepository, type Database } from '@posthorn/database';
import { type WorkQueue, work } from '@posthorn/work';
import { SuppressionImportRow } from './suppression-import.entity.js';

export const suppressionImportWork = work('sending.suppression-imports', { exclusive: true, concurrency: 2 });

export interface BatchCounts {
  processed: number;
  created: number;
  skipped: number;
  failed: number;
}

export class SuppressionImportsRepository extends ScopedRepository<SuppressionImportRow> {
  constructor(
    database: Database,
    private readonly queue: WorkQueue,
  ) {
    super(database, SuppressionImportRow, importNotFound);
  }

  async insert(
    projectId: string,
    { csv, source, total }: Pick<SuppressionImportRow, 'csv' | 'source' | 'total'>,
  ): Promise<SuppressionImportRow> {
    const id = newId();
    return this.database.transaction(async () => {
      await this.refuseTooMany(projectId);
      await this.rows.insert({ projectId, id, csv, source, total, status: 'QUEUED' });
      await this.queue.enqueue(suppressionImportWork, [{ projectId, key: id }]);
      return this.rows.findOneByOrFail({ projectId, id });
    });
  }

  /** Serializes the imports that a project starts. */
  private async refuseTooMany(projectId: string): Promise<void> {
    await this.database.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 55))`, [projectId]);
    const [row] = await this.database.query<{ open: number }>(
      `SELECT count(*)::int AS open FROM suppression_imports WHERE project_id = $1 AND finished_at IS NULL`,
      [projectId],
    );
    if (row!.open >= maxOpenSuppressionImports) throw tooManySuppressionImports();
  }

  async begin({ projectId, id }: SuppressionImportRow): Promise<void> {
    await this.database.query(
      `UPDATE suppression_imports SET status = 'RUNNING' WHERE project_id = $1 AND id = $2 AND status = 'QUEUED'`,
      [projectId, id],
    );
  }

  async advance({ projectId, id }: SuppressionImportRow, done: BatchCounts): Promise<void> {
    await this.database.query(
      `UPDATE suppression_imports SET processed = processed + $3, created = created + $4, skipped = skipped + $5, failed = failed + $6
       WHERE project_id = $1 AND id = $2`,
      [projectId, id, done.processed, done.created, done.skipped, done.failed],
    );
  }

  /** Also deletes the text. */
  async finish(
    { projectId, id }: Pick<SuppressionImportRow, 'projectId' | 'id'>,
    status: 'COMPLETED' | 'FAILED',
  ): Promise<void> {
    await this.database.query(
      `UPDATE suppression_imports SET status = $3, csv = '', finished_at = clock_timestamp() WHERE project_id = $1 AND id = $2 AND finished_at IS NULL`,
      [projectId, id, status],
    );
  }
}
