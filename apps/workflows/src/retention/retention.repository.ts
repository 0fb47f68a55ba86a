import type { Database } from '@posthorn/database';

export interface RetentionDays {
  executions: number;
  versions: number;
}

const ofExecutions = ['execution_steps', 'execution_waits', 'step_texts'];

/** Who has entered a workflow without re-entry is kept with the workflow. */
export class OldExecutionsRepository {
  constructor(private readonly database: Database) {}

  /** Returns whether there may be more. */
  async deleteSome({ executions, versions }: RetentionDays, limit: number): Promise<boolean> {
    const isMore = await this.deleteExecutions(executions, limit);
    const others = await Promise.all([
      this.deleteVersions(versions, limit),
      this.delete(
        'workflow_hours',
        `SELECT ctid FROM workflow_hours WHERE hour < now() - interval '2 days' LIMIT $1`,
        limit,
      ),
      this.delete(
        'step_texts',
        `SELECT ctid FROM step_texts WHERE effect_id IS NOT NULL AND requested_at < now() - interval '1 day' LIMIT $1`,
        limit,
      ),
    ]);
    return isMore || others.some((deleted) => deleted === limit);
  }

  private deleteExecutions(days: number, limit: number): Promise<boolean> {
    return this.database.transaction(async () => {
      const ended = await this.database.query<{ projectId: string; id: string }>(
        `DELETE FROM executions WHERE (project_id, id) IN (
           SELECT project_id, id FROM executions WHERE ended_at < now() - make_interval(days => $1) ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED)
         RETURNING project_id AS "projectId", id`,
        [days, limit],
      );
      for (const table of ofExecutions)
        await this.database.query(
          `DELETE FROM ${table} t USING unnest($1::uuid[], $2::uuid[]) AS e (project_id, id) WHERE t.project_id = e.project_id AND t.execution_id = e.id`,
          [ended.map(({ projectId }) => projectId), ended.map(({ id }) => id)],
        );
      return ended.length === limit;
    });
  }

  /** Neither the present one nor one that an execution is still in. */
  private deleteVersions(days: number, limit: number): Promise<number> {
    return this.delete(
      'workflow_versions',
      `SELECT v.ctid FROM workflow_versions v JOIN workflows w ON w.project_id = v.project_id AND w.id = v.workflow_id AND w.version > v.version
       WHERE v.created_at < now() - make_interval(days => $2) AND NOT EXISTS (
         SELECT FROM executions e WHERE e.project_id = v.project_id AND e.workflow_id = v.workflow_id AND e.workflow_version = v.version AND e.ended_at IS NULL)
       LIMIT $1`,
      limit,
      days,
    );
  }

  private async delete(table: string, chosen: string, ...parameters: number[]): Promise<number> {
    const rows = await this.database.query(
      `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(${chosen})) RETURNING 1`,
      parameters,
    );
    return rows.length;
  }
}

const callDays = 30;

/** Each is in the order of an index, so that a round costs what it deletes. */
const expired: Readonly<Record<string, string>> = {
  calls: `(project_id, id) IN (SELECT project_id, id FROM calls
    WHERE created_at < now() - make_interval(days => $1) AND status <> 'PENDING' ORDER BY created_at LIMIT $2)`,
  call_requests: `(project_id, id) IN (SELECT project_id, id FROM (
      SELECT project_id, id FROM call_requests WHERE created_at < now() - make_interval(days => $1) ORDER BY created_at LIMIT $2) AS r
    WHERE NOT EXISTS (SELECT FROM calls c WHERE c.project_id = r.project_id AND c.request_id = r.id))`,
  signing_secrets: `(project_id, id) IN (SELECT project_id, id FROM signing_secrets WHERE ends_at < now() AND $1 > 0 ORDER BY ends_at LIMIT $2)`,
  endpoints: `(project_id, id) IN (SELECT project_id, id FROM endpoints e WHERE used_at < now() - make_interval(days => $1)
    AND NOT EXISTS (SELECT FROM webhooks w WHERE w.project_id = e.project_id AND w.id = e.id) ORDER BY used_at LIMIT $2)`,
};

export class OldCallsRepository {
  constructor(private readonly database: Database) {}

  /** Returns whether there may be more. */
  async deleteSome(limit: number): Promise<boolean> {
    let isMore = false;
    for (const [table, which] of Object.entries(expired)) {
      const gone = await this.database.query(`DELETE FROM ${table} WHERE ${which} RETURNING 1`, [
        callDays,
        limit,
      ]);
      isMore ||= gone.length === limit;
    }
    return isMore;
  }
}
