import type { Database } from '@posthorn/database';
import type { DeliveryState } from './delivery-states.js';

export class DeliveryCounts {
  constructor(private readonly database: Database) {}

  async oldestDueSeconds(): Promise<number> {
    const [row] = await this.database.query<{ age: number }>(
      `WITH RECURSIVE turn AS (
         (SELECT lane, project_id FROM deliveries WHERE state = 'QUEUED' ORDER BY lane, project_id LIMIT 1)
         UNION ALL
         SELECT following.lane, following.project_id FROM turn, LATERAL (
           SELECT lane, project_id FROM deliveries WHERE state = 'QUEUED' AND (lane, project_id) > (turn.lane, turn.project_id)
           ORDER BY lane, project_id LIMIT 1
         ) AS following
       )
       SELECT coalesce(extract(epoch FROM now() - min(first.due_at)), 0)::float8 AS age FROM turn, LATERAL (
         SELECT due_at FROM deliveries
         WHERE state = 'QUEUED' AND lane = turn.lane AND project_id = turn.project_id AND due_at <= now() ORDER BY due_at LIMIT 1
       ) AS first`,
    );
    return row!.age;
  }

  async byState(): Promise<{ state: DeliveryState; count: number }[]> {
    return this.database.query(
      `SELECT 'QUEUED' AS state, count(*) AS count FROM (SELECT 1 FROM deliveries WHERE state = 'QUEUED' LIMIT 10000) AS queued
       UNION ALL SELECT s, (SELECT count(*) FROM deliveries WHERE state IN ('CLAIMED', 'HANDOFF') AND state = s) FROM unnest('{CLAIMED,HANDOFF}'::text[]) AS s
       UNION ALL SELECT 'HELD', count(*) FROM (SELECT 1 FROM deliveries WHERE state = 'HELD' LIMIT 10000) AS held
       UNION ALL SELECT 'AMBIGUOUS', count(*) FROM (SELECT 1 FROM deliveries WHERE state = 'AMBIGUOUS' LIMIT 10000) AS ambiguous`,
    );
  }

  /** The last event tells when the attempt was made; the delivery itself does not record it. */
  async oldestAmbiguousSeconds(): Promise<number> {
    const [row] = await this.database.query<{ age: number }>(
      `SELECT coalesce(max(extract(epoch FROM now() - began.at)), 0)::float8 AS age
       FROM (SELECT project_id, email_id FROM deliveries WHERE state = 'AMBIGUOUS' ORDER BY due_at LIMIT 1000) AS ambiguous,
         LATERAL (SELECT max(at) AS at FROM email_events e WHERE e.project_id = ambiguous.project_id AND e.email_id = ambiguous.email_id) AS began`,
    );
    return row!.age;
  }
}
