import { newId, ScopedRepository, type Database, type Page, type PageRequest } from '@posthorn/database';
import { ImportRow, type ImportCounts } from './import.entity.js';

export type NewImport = Pick<ImportRow, 'projectId' | 'mode' | 'listIds' | 'subscribed' | 'origin' | 'layout'>;

/** How far a commit came. */
export interface ImportStep extends ImportCounts {
  position: number;
  line: number;
}

const workSeconds = 15;
const uploadSeconds = 120;

export class ImportsRepository extends ScopedRepository<ImportRow> {
  constructor(database: Database) {
    super(database, ImportRow);
  }

  async insert(wanted: NewImport): Promise<ImportRow> {
    const id = newId();
    const { projectId } = wanted;
    await this.rows.insert({
      ...wanted,
      id,
      status: 'UPLOADING',
      takenUntil: () => `now() + interval '${uploadSeconds} seconds'`,
    } as object);
    return this.rows.findOneByOrFail({ projectId, id });
  }

  list(projectId: string, query: PageRequest): Promise<Page<ImportRow>> {
    return this.page(projectId, query, []);
  }

  total(projectId: string): Promise<number> {
    return this.rows.countBy({ projectId });
  }

  async countOpen(projectId: string): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM imports WHERE project_id = $1 AND finished_at IS NULL`,
      [projectId],
    );
    return row!.count;
  }

  /** When the oldest table came that is still there, or on its way; null where none is. */
  async oldestKept(projectId: string): Promise<Date | null> {
    const [row] = await this.database.query<{ at: Date | null }>(
      `SELECT min(created_at) AS at FROM imports WHERE project_id = $1 AND (finished_at IS NULL OR pieces > 0)`,
      [projectId],
    );
    return row!.at;
  }

  /** Of a locked row: one more piece is there, and more of its rows are known of. */
  async grow({ projectId, id }: ImportRow, lines: number, whole: boolean): Promise<ImportRow> {
    await this.database.query(
      `UPDATE imports SET pieces = pieces + 1, total = total + $3, status = CASE WHEN $4::boolean THEN 'QUEUED' ELSE status END,
         taken_until = CASE WHEN $4::boolean THEN NULL ELSE now() + interval '${uploadSeconds} seconds' END
       WHERE project_id = $1 AND id = $2`,
      [projectId, id, lines, whole],
    );
    return this.rows.findOneByOrFail({ projectId, id });
  }

  /** Whose turn it is of those that nobody works on, one of a project at a time; what a dead process had is free after a while. */
  async take(): Promise<ImportRow | null> {
    // Two who look at once would both find a project without one.
    await this.database.query(`SELECT pg_advisory_xact_lock(hashtext('imports'))`);
    const [taken] = await this.database.query<{ projectId: string; id: string }>(
      `UPDATE imports SET status = 'RUNNING', taken_until = now() + interval '${workSeconds} seconds', turn_at = clock_timestamp(),
         lease_token = lease_token + 1
       WHERE (project_id, id) = (
         SELECT project_id, id FROM imports AS next
         WHERE finished_at IS NULL AND status IN ('QUEUED', 'RUNNING') AND coalesce(taken_until, now()) <= now()
           AND NOT EXISTS (SELECT FROM imports AS other WHERE other.project_id = next.project_id AND other.status = 'RUNNING' AND other.id <> next.id)
         ORDER BY turn_at LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING project_id AS "projectId", id`,
    );
    return taken ? this.find(taken.projectId, taken.id) : null;
  }

  /** Of a locked row. */
  async advance({ projectId, id }: ImportRow, step: ImportStep, listIds: string[]): Promise<void> {
    const { position, line, processed, created, updated, skipped, failed } = step;
    await this.database.query(
      `UPDATE imports SET position = $3, line = $4, processed = processed + $5, created = created + $6, updated = updated + $7,
         skipped = skipped + $8, failed = failed + $9, list_ids = $10, taken_until = now() + interval '${workSeconds} seconds'
       WHERE project_id = $1 AND id = $2`,
      [projectId, id, position, line, processed, created, updated, skipped, failed, listIds],
    );
  }

  /** By whoever works on it: one whose lease is over sees an end where another one has gone on, whose pieces are gone. */
  async finish({ projectId, id, leaseToken, position }: ImportRow, status: 'COMPLETED' | 'FAILED'): Promise<void> {
    await this.database.query(
      `UPDATE imports SET status = $3, finished_at = clock_timestamp(), taken_until = NULL
       WHERE project_id = $1 AND id = $2 AND finished_at IS NULL AND lease_token = $4 AND position = $5`,
      [projectId, id, status, leaseToken, position],
    );
  }

  /** Whoever works on it; nothing of one that has ended already. */
  async cancel({ projectId, id }: ImportRow): Promise<void> {
    await this.database.query(
      `UPDATE imports SET status = 'CANCELLED', finished_at = clock_timestamp(), taken_until = NULL
       WHERE project_id = $1 AND id = $2 AND finished_at IS NULL`,
      [projectId, id],
    );
  }

  /** Somebody may go on at once, where nobody does already. */
  async leave({ projectId, id, leaseToken }: ImportRow): Promise<void> {
    await this.database.query(
      `UPDATE imports SET taken_until = NULL WHERE project_id = $1 AND id = $2 AND finished_at IS NULL AND lease_token = $3`,
      [projectId, id, leaseToken],
    );
  }

  /** Uploads that broke off. */
  async endLost(): Promise<void> {
    await this.database.query(
      `UPDATE imports SET status = 'FAILED', finished_at = clock_timestamp(), taken_until = NULL
       WHERE finished_at IS NULL AND status = 'UPLOADING' AND taken_until <= now()`,
    );
  }

  /** One that has ended and whose pieces are still there; several replicas take different ones. */
  async lockOver(): Promise<Pick<ImportRow, 'projectId' | 'id'> | null> {
    const [over] = await this.database.query<Pick<ImportRow, 'projectId' | 'id'>>(
      `SELECT project_id AS "projectId", id FROM imports WHERE finished_at IS NOT NULL AND pieces > 0
       ORDER BY finished_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
    );
    return over ?? null;
  }

  async forgetPieces({ projectId, id }: Pick<ImportRow, 'projectId' | 'id'>): Promise<void> {
    await this.database.query(`UPDATE imports SET pieces = 0 WHERE project_id = $1 AND id = $2`, [projectId, id]);
  }
}
