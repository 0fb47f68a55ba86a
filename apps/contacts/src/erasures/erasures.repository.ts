import type { ErasingService } from '@posthorn/contracts';
import { ScopedRepository, type Database } from '@posthorn/database';
import { ErasureRow } from './erasure.entity.js';

export type ErasureKey = Pick<ErasureRow, 'projectId' | 'id'>;
/** One that was taken: its address is still in it. */
export type TakenErasure = Pick<ErasureRow, 'projectId' | 'id' | 'answers' | 'createdAt'> & { sealed: string };

const leaseSeconds = 60;
const longestWaitSeconds = 300;

export class ErasuresRepository extends ScopedRepository<ErasureRow> {
  constructor(database: Database) {
    super(database, ErasureRow);
  }

  async add(projectId: string, rows: readonly { id: string; sealed: string }[]): Promise<void> {
    await this.database.query(
      `INSERT INTO erasures (project_id, id, sealed) SELECT $1, id, sealed FROM unnest($2::uuid[], $3::text[]) AS e (id, sealed)`,
      [projectId, rows.map(({ id }) => id), rows.map(({ sealed }) => sealed)],
    );
  }

  /** Whose turn it is, of whichever project: nobody else takes them until they are put back, or whoever took them has died. */
  take(most: number): Promise<TakenErasure[]> {
    return this.database.query(
      `WITH next AS (
         SELECT project_id, id FROM erasures WHERE completed_at IS NULL AND due_at <= clock_timestamp() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
       )
       UPDATE erasures SET due_at = clock_timestamp() + interval '${leaseSeconds} seconds' FROM next
       WHERE erasures.project_id = next.project_id AND erasures.id = next.id
       RETURNING erasures.project_id AS "projectId", erasures.id, sealed, answers, created_at AS "createdAt"`,
      [most],
    );
  }

  async answered(keys: readonly ErasureKey[], service: ErasingService): Promise<void> {
    if (keys.length === 0) return;
    await this.database.query(
      `UPDATE erasures SET tries = 0,
         answers = answers || jsonb_build_object($3::text, to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
       FROM unnest($1::uuid[], $2::uuid[]) AS done (project_id, id)
       WHERE erasures.project_id = done.project_id AND erasures.id = done.id AND NOT answers ? $3`,
      [keys.map(({ projectId }) => projectId), keys.map(({ id }) => id), service],
    );
  }

  /** Their turn comes after so many seconds. */
  async putBack(keys: readonly ErasureKey[], seconds: number): Promise<void> {
    if (keys.length === 0) return;
    await this.database.query(
      `UPDATE erasures SET due_at = clock_timestamp() + $3 * interval '1 second' FROM unnest($1::uuid[], $2::uuid[]) AS back (project_id, id)
       WHERE erasures.project_id = back.project_id AND erasures.id = back.id AND completed_at IS NULL`,
      [keys.map(({ projectId }) => projectId), keys.map(({ id }) => id), seconds],
    );
  }

  /** As `putBack`, later each time. */
  async putBackFailed(keys: readonly ErasureKey[]): Promise<void> {
    if (keys.length === 0) return;
    await this.database.query(
      `UPDATE erasures SET tries = tries + 1, due_at = clock_timestamp() + least(${longestWaitSeconds}, 2 ^ least(tries, 10)) * interval '1 second'
       FROM unnest($1::uuid[], $2::uuid[]) AS back (project_id, id)
       WHERE erasures.project_id = back.project_id AND erasures.id = back.id AND completed_at IS NULL`,
      [keys.map(({ projectId }) => projectId), keys.map(({ id }) => id)],
    );
  }

  /** Nothing is left that could tell who it was. */
  async complete(keys: readonly ErasureKey[]): Promise<void> {
    await this.database.query(
      `UPDATE erasures SET completed_at = clock_timestamp(), sealed = NULL FROM unnest($1::uuid[], $2::uuid[]) AS done (project_id, id)
       WHERE erasures.project_id = done.project_id AND erasures.id = done.id AND completed_at IS NULL`,
      [keys.map(({ projectId }) => projectId), keys.map(({ id }) => id)],
    );
  }
}
