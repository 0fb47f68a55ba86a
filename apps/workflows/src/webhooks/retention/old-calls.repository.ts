import type { Database } from '@posthorn/database';

const callDays = 30;

/** Each is in the order of an index, so that a round costs what it deletes. */
const expired: Readonly<Record<string, string>> = {
  step_calls: `(project_id, id) IN (SELECT project_id, id FROM step_calls
    WHERE created_at < now() - make_interval(days => $1) AND status <> 'PENDING' ORDER BY created_at LIMIT $2)`,
  signing_secrets: `(project_id, id) IN (SELECT project_id, id FROM signing_secrets WHERE ends_at < now() AND $1 > 0 ORDER BY ends_at LIMIT $2)`,
  endpoints: `(project_id, id) IN (SELECT project_id, id FROM endpoints e WHERE used_at < now() - make_interval(days => $1)
    AND NOT EXISTS (SELECT FROM webhooks w WHERE w.project_id = e.project_id AND w.id = e.id) ORDER BY used_at LIMIT $2)`,
};

interface CallKey {
  projectId: string;
  webhookId: string;
  id: string;
}

export class OldCallsRepository {
  constructor(private readonly database: Database) {}

  /** Returns whether there may be more. */
  async deleteSome(limit: number): Promise<boolean> {
    let isMore = await this.deleteCalls(limit);
    for (const [table, which] of Object.entries(expired)) {
      const gone = await this.database.query(`DELETE FROM ${table} WHERE ${which} RETURNING 1`, [
        callDays,
        limit,
      ]);
      isMore ||= gone.length === limit;
    }
    return isMore;
  }

  /** An attempt that is recorded meanwhile is seen by the second statement only. */
  private deleteCalls(limit: number): Promise<boolean> {
    return this.database.transaction(async () => {
      const gone = await this.database.query<CallKey>(
        `DELETE FROM webhook_calls WHERE (project_id, webhook_id, id) IN (SELECT project_id, webhook_id, id FROM webhook_calls
           WHERE created_at < now() - make_interval(days => $1) ORDER BY created_at LIMIT $2)
         RETURNING project_id AS "projectId", webhook_id AS "webhookId", id`,
        [callDays, limit],
      );
      await this.database.query(
        `DELETE FROM webhook_attempts a USING unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS c (project_id, webhook_id, id)
         WHERE a.project_id = c.project_id AND a.webhook_id = c.webhook_id AND a.call_id = c.id`,
        [
          gone.map(({ projectId }) => projectId),
          gone.map(({ webhookId }) => webhookId),
          gone.map(({ id }) => id),
        ],
      );
      return gone.length === limit;
    });
  }
}
