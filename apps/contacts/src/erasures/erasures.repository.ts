import { erasureNotFound, type ErasingService } from '@posthorn/contracts';
import { ScopedRepository, type Database } from '@posthorn/database';
import { ErasureRow } from './erasure.entity.js';

export type ErasureKey = Pick<ErasureRow, 'projectId' | 'id'>;
export type IncompleteErasure = Pick<ErasureRow, 'projectId' | 'id' | 'answers' | 'createdAt'> & {
  sealed: string;
};

export class ErasuresRepository extends ScopedRepository<ErasureRow> {
  constructor(database: Database) {
    super(database, ErasureRow, erasureNotFound);
  }

  async add(projectId: string, rows: readonly { id: string; sealed: string }[]): Promise<void> {
    await this.database.query(
      `INSERT INTO erasures (project_id, id, sealed) SELECT $1, id, sealed FROM unnest($2::uuid[], $3::text[]) AS e (id, sealed)`,
      [projectId, rows.map(({ id }) => id), rows.map(({ sealed }) => sealed)],
    );
  }

  incomplete(projectId: string, ids: string[]): Promise<IncompleteErasure[]> {
    return this.database.query(
      `SELECT project_id AS "projectId", id, sealed, answers, created_at AS "createdAt" FROM erasures
       WHERE project_id = $1 AND id = ANY ($2::uuid[]) AND completed_at IS NULL ORDER BY id`,
      [projectId, ids],
    );
  }

  async answered(keys: readonly ErasureKey[], service: ErasingService): Promise<void> {
    if (keys.length === 0) return;
    await this.database.query(
      `UPDATE erasures SET answers = answers || jsonb_build_object($3::text, to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
       FROM unnest($1::uuid[], $2::uuid[]) AS done (project_id, id)
       WHERE erasures.project_id = done.project_id AND erasures.id = done.id AND NOT answers ? $3`,
      [keys.map(({ projectId }) => projectId), keys.map(({ id }) => id), service],
    );
  }

  /** Also deletes the address. */
  async complete(keys: readonly ErasureKey[]): Promise<void> {
    await this.database.query(
      `UPDATE erasures SET completed_at = clock_timestamp(), sealed = NULL FROM unnest($1::uuid[], $2::uuid[]) AS done (project_id, id)
       WHERE erasures.project_id = done.project_id AND erasures.id = done.id AND completed_at IS NULL`,
      [keys.map(({ projectId }) => projectId), keys.map(({ id }) => id)],
    );
  }
}
