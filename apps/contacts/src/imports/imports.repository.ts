import { importNotFound } from '@posthorn/contracts';
import { newId, ScopedRepository, type Database, type Page, type PageRequest } from '@posthorn/database';
import { type WorkQueue, work } from '@posthorn/work';
import { startOf } from './table/import-layout.js';
import { ImportRow, type ImportCounts } from './import.entity.js';

/** By the id of the import: due when its upload is complete, or when the upload has timed out. */
export const importWork = work('contacts.imports', { exclusive: true, concurrency: 2 });

export const importPurgeWork = work('contacts.import-purges', {
  concurrency: 2,
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: 60_000 },
});

export const rejectedRowsWork = work('contacts.import-rejected-rows', {
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: 60_000 },
});

export type NewImport = Pick<
  ImportRow,
  'projectId' | 'mode' | 'listIds' | 'subscribed' | 'resubscribe' | 'origin' | 'layout'
>;

export interface ImportStep extends ImportCounts {
  position: number;
  line: number;
}

/** An upload without a new piece for this long has failed. */
const uploadTimeoutMs = 120_000;
/** How long rejected rows can be downloaded, to be corrected and imported again. */
const rejectedRowsMs = 30 * 86_400_000;

export class ImportsRepository extends ScopedRepository<ImportRow> {
  constructor(
    database: Database,
    private readonly queue: WorkQueue,
  ) {
    super(database, ImportRow, importNotFound);
  }

  async insert(wanted: NewImport): Promise<ImportRow> {
    const id = newId();
    const { projectId } = wanted;
    const { from: position, lines: line } = startOf(wanted.layout);
    await this.rows.insert({ ...wanted, id, position, line, status: 'UPLOADING' } as object);
    return this.rows.findOneByOrFail({ projectId, id });
  }

  list(projectId: string, query: PageRequest): Promise<Page<ImportRow>> {
    return this.page(projectId, query);
  }

  total(projectId: string): Promise<number> {
    return this.rows.countBy({ projectId });
  }

  /** Serializes the imports that a project starts. */
  async countOpen(projectId: string): Promise<number> {
    await this.database.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 54))`, [projectId]);
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM imports WHERE project_id = $1 AND finished_at IS NULL`,
      [projectId],
    );
    return row!.count;
  }

  async oldestRetained(projectId: string): Promise<Date | null> {
    const [row] = await this.database.query<{ at: Date | null }>(
      `SELECT min(created_at) AS at FROM imports WHERE project_id = $1 AND (finished_at IS NULL OR pieces > 0)`,
      [projectId],
    );
    return row!.at;
  }

  /** Counts one more piece of a locked row; the last one makes the import due. */
  async addPiece({ projectId, id }: ImportRow, lines: number, isLast: boolean): Promise<ImportRow> {
    await this.database.query(
      `UPDATE imports SET pieces = pieces + 1, total = total + $3, status = CASE WHEN $4::boolean THEN 'QUEUED' ELSE status END
       WHERE project_id = $1 AND id = $2`,
      [projectId, id, lines, isLast],
    );
    await this.queue.enqueue(
      importWork,
      [{ projectId, key: id, delayMs: isLast ? 0 : uploadTimeoutMs }],
      'REPLACE',
    );
    return this.rows.findOneByOrFail({ projectId, id });
  }

  async begin({ projectId, id }: ImportRow): Promise<void> {
    await this.database.query(
      `UPDATE imports SET status = 'RUNNING' WHERE project_id = $1 AND id = $2 AND status = 'QUEUED'`,
      [projectId, id],
    );
  }

  async advance({ projectId, id }: ImportRow, step: ImportStep, listIds: string[]): Promise<void> {
    const { position, line, processed, created, updated, skipped, failed } = step;
    await this.database.query(
      `UPDATE imports SET position = $3, line = $4, processed = processed + $5, created = created + $6, updated = updated + $7,
         skipped = skipped + $8, failed = failed + $9, list_ids = $10
       WHERE project_id = $1 AND id = $2`,
      [projectId, id, position, line, processed, created, updated, skipped, failed, listIds],
    );
  }

  /** Does nothing to an import that has ended. Its bytes are deleted later. */
  async finish({ projectId, id }: ImportRow, status: 'COMPLETED' | 'FAILED' | 'CANCELLED'): Promise<void> {
    await this.database.transaction(async () => {
      const ended = await this.database.query(
        `UPDATE imports SET status = $3, finished_at = clock_timestamp() WHERE project_id = $1 AND id = $2 AND finished_at IS NULL RETURNING id`,
        [projectId, id, status],
      );
      if (ended.length === 0) return;
      await this.queue.enqueue(importPurgeWork, [{ projectId, key: id }]);
      await this.queue.enqueue(rejectedRowsWork, [{ projectId, key: id, delayMs: rejectedRowsMs }]);
    });
  }

  async deletePieces({ projectId, id }: Pick<ImportRow, 'projectId' | 'id'>): Promise<void> {
    await this.database.query(`UPDATE imports SET pieces = 0 WHERE project_id = $1 AND id = $2`, [
      projectId,
      id,
    ]);
  }
}
