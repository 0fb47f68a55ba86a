import type { Database } from '@posthorn/database';
import { type CallAttempt, maxDaysWithoutSuccess } from '../calls/call-attempts.js';

export interface EndpointId {
  projectId: string;
  id: string;
}

/** The attempts of calls to an endpoint, in the order in which they ended. */
export interface Attempted {
  endpointId: string;
  attempts: readonly CallAttempt[];
}

export interface Standing {
  id: string;
  failuresInRow: number;
  isLongWithoutSuccess: boolean;
  restMs: number;
  /** Null where no call waits. */
  nextMs: number | null;
}

/** After as many, an endpoint is left alone between single calls. */
export const failuresToBreak = 3;
/** Of an endpoint `e`, which may be missing. */
export const isBroken = `coalesce(e.failures_in_row, 0) >= ${failuresToBreak}`;
export const restMs = `coalesce(greatest(0, extract(epoch FROM e.rests_until - now())) * 1000, 0)::float8`;
/** When the first call of an endpoint is due that still waits. */
export const nextDueAt = (endpoint: string): string =>
  `(SELECT n.due_at FROM calls n WHERE n.project_id = $1 AND n.endpoint_id = ${endpoint} AND n.status = 'PENDING' ORDER BY n.generation, n.due_at, n.id LIMIT 1)`;

const [shortestRest, longestRest] = [5, 300];

/** Kept for a day, because a change of an indexed column makes an update dearer. */
const used = `CASE WHEN e.used_at < now() - interval '1 day' THEN now() ELSE e.used_at END`;
const [faults, succeeded] = ['excluded.failures_in_row', '(excluded.last_success_at IS NOT NULL)'];
const failures = `CASE WHEN ${succeeded} THEN ${faults} ELSE e.failures_in_row + ${faults} END`;
const since = `CASE WHEN ${faults} = 0 AND ${succeeded} THEN NULL WHEN ${succeeded} OR e.failing_since IS NULL AND ${faults} > 0 THEN now() ELSE e.failing_since END`;
const rest = `CASE WHEN ${failures} < ${failuresToBreak} THEN 0 WHEN ${faults} = 0 THEN e.rest_seconds
  WHEN ${succeeded} THEN ${shortestRest} ELSE least(${longestRest}, greatest(${shortestRest}, e.rest_seconds * 2)) END`;

export class EndpointsRepository {
  constructor(private readonly database: Database) {}

  async judge(projectId: string, attempted: readonly Attempted[]): Promise<Standing[]> {
    const sums = attempted.map(({ attempts }) => {
      const lastSuccess = attempts.findLastIndex(({ verdict }) => verdict.kind === 'success');
      const isFault = (attempt: CallAttempt) => attempt.isFault;
      return { faults: attempts.slice(lastSuccess + 1).filter(isFault).length, succeeded: lastSuccess >= 0 };
    });
    return this.database.query<Standing>(
      `INSERT INTO endpoints AS e (project_id, id, failures_in_row, failing_since, rest_seconds, rests_until, last_success_at)
       SELECT $1::uuid, j.id, j.faults, CASE WHEN j.faults > 0 THEN now() END, first.rest, now() + first.rest * interval '1 second', CASE WHEN j.succeeded THEN now() END
       FROM unnest($2::uuid[], $3::int[], $4::boolean[]) AS j (id, faults, succeeded),
         LATERAL (SELECT CASE WHEN j.faults >= ${failuresToBreak} THEN ${shortestRest} ELSE 0 END AS rest) AS first ORDER BY j.id
       ON CONFLICT (project_id, id) DO UPDATE SET failures_in_row = ${failures}, failing_since = ${since}, rest_seconds = ${rest},
         rests_until = now() + (${rest}) * interval '1 second', last_success_at = coalesce(excluded.last_success_at, e.last_success_at), used_at = ${used}
       RETURNING id, failures_in_row AS "failuresInRow", coalesce(failing_since < now() - interval '${maxDaysWithoutSuccess} days', false) AS "isLongWithoutSuccess",
         (extract(epoch FROM ${nextDueAt('e.id')} - now()) * 1000)::float8 AS "nextMs", ${restMs} AS "restMs"`,
      [
        projectId,
        attempted.map(({ endpointId }) => endpointId),
        sums.map((sum) => sum.faults),
        sums.map((sum) => sum.succeeded),
      ],
    );
  }

  async leaveAlone(projectId: string, ids: readonly string[], milliseconds: number): Promise<void> {
    await this.database.query(
      `INSERT INTO endpoints AS e (project_id, id, rests_until) SELECT $1, id, now() + $3 * interval '1 millisecond' FROM unnest($2::uuid[]) AS id ORDER BY id
       ON CONFLICT (project_id, id) DO UPDATE SET rests_until = excluded.rests_until, used_at = ${used}`,
      [projectId, ids, milliseconds],
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
