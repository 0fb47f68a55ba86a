import type { Database } from '@posthorn/database';
import { marksDirty } from '../segments/segment-dirty.repository.js';

export class EventSummaryRebuilds {
  constructor(private readonly database: Database) {}

  /** For contacts of one project. The lock makes events visible that were being recorded. */
  repair(projectId: string, contactIds: readonly string[]): Promise<number> {
    return this.database.transaction(async () => {
      await lockForRepair(this.database, 'event_summaries');
      const [done] = await this.database.query<{ repaired: number }>(repairSql, [projectId, contactIds]);
      return done!.repaired;
    });
  }
}

/** Waits for writers of the table and blocks new ones, but no readers. */
export async function lockForRepair(
  database: Database,
  table: 'event_summaries' | 'mail_summaries',
): Promise<void> {
  await database.query(`SET LOCAL lock_timeout = '5s'`);
  await database.query(`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`);
}

const repairSql = `
  WITH counted AS MATERIALIZED (
    SELECT e.contact_id, e.name, count(*) AS count, min(e.occurred_at) AS first_at, max(e.occurred_at) AS last_at
    FROM unnest($2::uuid[]) AS c (id) JOIN events e ON e.project_id = $1 AND e.contact_id = c.id GROUP BY 1, 2
  ), deleted AS (
    DELETE FROM event_summaries s WHERE s.project_id = $1 AND s.contact_id = ANY ($2::uuid[])
      AND NOT EXISTS (SELECT FROM counted WHERE counted.contact_id = s.contact_id AND counted.name = s.name) RETURNING s.contact_id
  ), put AS (
    INSERT INTO event_summaries AS known (project_id, contact_id, name, count, first_at, last_at)
    SELECT $1, contact_id, name, count, first_at, last_at FROM counted ORDER BY 2, 3
    ON CONFLICT (project_id, contact_id, name) DO UPDATE SET count = excluded.count, first_at = excluded.first_at, last_at = excluded.last_at
      WHERE (known.count, known.first_at, known.last_at) IS DISTINCT FROM (excluded.count, excluded.first_at, excluded.last_at)
    RETURNING contact_id
  ), repaired AS (
    SELECT contact_id FROM deleted UNION ALL SELECT contact_id FROM put
  ), ${marksDirty('(SELECT DISTINCT $1::uuid AS project_id, contact_id AS id FROM repaired)')}
  SELECT count(*) AS repaired FROM repaired`;
