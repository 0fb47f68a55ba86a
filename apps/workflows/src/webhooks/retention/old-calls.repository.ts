import type { Database } from '@posthorn/database';

const callDays = 30;

/** Each is in the order of an index, so that a round costs what it deletes. */
const expired: Readonly<Record<string, string>> = {
  webhook_calls: `(project_id, webhook_id, id) IN (SELECT project_id, webhook_id, id FROM webhook_calls
    WHERE created_at < now() - make_interval(days => $1) ORDER BY created_at LIMIT $2)`,
  step_calls: `(project_id, id) IN (SELECT project_id, id FROM step_calls
    WHERE created_at < now() - make_interval(days => $1) AND status <> 'PENDING' ORDER BY created_at LIMIT $2)`,
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
