import type { Database } from '@posthorn/database';
import { type CallAttempt, maxDaysWithoutSuccess } from '../webhook-attempts.js';

export interface EndpointId {
  projectId: string;
  id: string;
}

export interface Standing {
  failuresInRow: number;
  isLongWithoutSuccess: boolean;
}

/** After as many, an endpoint is left alone between single calls. */
export const failuresToBreak = 3;
const [shortestRest, longestRest] = [5, 300];

/** Kept for a day, because a change of an indexed column makes an update dearer. */
const used = `CASE WHEN e.used_at < now() - interval '1 day' THEN now() ELSE e.used_at END`;
const failures = `CASE WHEN $4 THEN $3 ELSE e.failures_in_row + $3 END`;
const since = `CASE WHEN $3 = 0 AND $4 THEN NULL WHEN $4 OR e.failing_since IS NULL AND $3 > 0 THEN now() ELSE e.failing_since END`;
const rest = `CASE WHEN ${failures} < ${failuresToBreak} THEN 0 WHEN $3 = 0 THEN e.rest_seconds
  WHEN $4 THEN ${shortestRest} ELSE least(${longestRest}, greatest(${shortestRest}, e.rest_seconds * 2)) END`;

export class EndpointsRepository {
  constructor(private readonly database: Database) {}

  /** After attempts in the order in which they ended. */
  async judge({ projectId, id }: EndpointId, attempts: readonly CallAttempt[]): Promise<Standing> {
    const isSuccess = ({ verdict }: CallAttempt) => verdict.kind === 'success';
    const lastSuccess = attempts.findLastIndex(isSuccess);
    const faults = attempts.slice(lastSuccess + 1).filter(({ isFault }) => isFault).length;
    const [standing] = await this.database.query<Standing>(
      `INSERT INTO endpoints AS e (project_id, id, failures_in_row, failing_since, rest_seconds, rests_until, last_success_at)
       SELECT $1::uuid, $2::uuid, $3::int, CASE WHEN $3 > 0 THEN now() END, first.rest, now() + first.rest * interval '1 second', CASE WHEN $4::boolean THEN now() END
       FROM (SELECT CASE WHEN $3 >= ${failuresToBreak} THEN ${shortestRest} ELSE 0 END AS rest) AS first
       ON CONFLICT (project_id, id) DO UPDATE SET failures_in_row = ${failures}, failing_since = ${since}, rest_seconds = ${rest},
         rests_until = now() + (${rest}) * interval '1 second', last_success_at = CASE WHEN $4 THEN now() ELSE e.last_success_at END, used_at = ${used}
       RETURNING failures_in_row AS "failuresInRow", coalesce(failing_since < now() - interval '${maxDaysWithoutSuccess} days', false) AS "isLongWithoutSuccess"`,
      [projectId, id, faults, lastSuccess >= 0],
    );
    return standing!;
  }

  async leaveAlone({ projectId, id }: EndpointId, milliseconds: number): Promise<void> {
    await this.database.query(
      `INSERT INTO endpoints AS e (project_id, id, rests_until) VALUES ($1, $2, now() + $3 * interval '1 millisecond')
       ON CONFLICT (project_id, id) DO UPDATE SET rests_until = excluded.rests_until, used_at = ${used}`,
      [projectId, id, milliseconds],
    );
  }

  /** Somebody has changed it, so it may work now. */
  async forgive({ projectId, id }: EndpointId): Promise<void> {
    await this.database.query(
      `UPDATE endpoints SET failures_in_row = 0, failing_since = NULL, rest_seconds = 0, rests_until = NULL WHERE project_id = $1 AND id = $2`,
      [projectId, id],
    );
  }

  async remove({ projectId, id }: EndpointId): Promise<void> {
    await this.database.query(`DELETE FROM endpoints WHERE project_id = $1 AND id = $2`, [projectId, id]);
  }

  async lastSuccesses(projectId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Date>> {
    const rows = await this.database.query<{ id: string; at: Date }>(
      `SELECT id, last_success_at AS at FROM endpoints WHERE project_id = $1 AND id = ANY ($2::uuid[]) AND last_success_at IS NOT NULL`,
      [projectId, ids],
    );
    return new Map(rows.map(({ id, at }) => [id, at]));
  }
}

/** Columns of a statement that opens an endpoint `e`, which may be missing. */
export const standingColumns = `coalesce(e.failures_in_row, 0) >= ${failuresToBreak} AS "isBroken",
  coalesce(greatest(0, extract(epoch FROM e.rests_until - now())) * 1000, 0)::float8 AS "restMs"`;
