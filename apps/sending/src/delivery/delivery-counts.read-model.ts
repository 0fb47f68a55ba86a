import type { Database } from '@posthorn/database';
import type { DeliveryState } from './delivery-states.js';

/** Beyond it an installation has reached its ceiling long ago. */
const mostCounted = 250_000;

export class DeliveryCounts {
  constructor(private readonly database: Database) {}

  /**
   * Of the installation: whoever finds the count older than ten seconds counts again, and the others read what stands there. A count
   * that takes long is repeated later, so that counting never takes more than a fiftieth of a connection.
   */
  async due(): Promise<number> {
    const [row] = await this.database.query<{ due: number }>(
      `WITH RECURSIVE mine AS MATERIALIZED (
         SELECT singleton FROM due_counts WHERE count_again_at <= now() FOR UPDATE SKIP LOCKED
       ), turn AS (
         (SELECT lane, project_id FROM deliveries WHERE state = 'QUEUED' AND EXISTS (SELECT FROM mine) ORDER BY lane, project_id LIMIT 1)
         UNION ALL
         SELECT following.lane, following.project_id FROM turn, LATERAL (
           SELECT lane, project_id FROM deliveries WHERE state = 'QUEUED' AND (lane, project_id) > (turn.lane, turn.project_id)
           ORDER BY lane, project_id LIMIT 1
         ) AS following
       ), counted AS MATERIALIZED (
         SELECT count(*)::int AS due FROM (
           SELECT FROM turn, LATERAL (
             SELECT FROM deliveries d WHERE d.state = 'QUEUED' AND d.lane = turn.lane AND d.project_id = turn.project_id AND d.due_at <= now()
           ) AS each LIMIT ${mostCounted}
         ) AS bounded
       ), stored AS (
         UPDATE due_counts c SET due = counted.due,
           count_again_at = clock_timestamp() + greatest(interval '10 seconds', 50 * (clock_timestamp() - statement_timestamp()))
         FROM mine, counted WHERE c.singleton = mine.singleton RETURNING c.due
       )
       SELECT due FROM stored UNION ALL SELECT due FROM due_counts WHERE NOT EXISTS (SELECT FROM stored)`,
    );
    return row!.due;
  }

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
  /** Since the last thing that is known of it; where nothing is, since it was to leave first. */
  async oldestAmbiguousSeconds(): Promise<number> {
    const [row] = await this.database.query<{ age: number }>(
      `SELECT coalesce(max(extract(epoch FROM now() - began.at)), 0)::float8 AS age
       FROM (SELECT project_id, email_id FROM deliveries WHERE state = 'AMBIGUOUS' ORDER BY due_at LIMIT 1000) AS ambiguous,
         LATERAL (SELECT coalesce(
           (SELECT max(at) FROM email_events e WHERE e.project_id = ambiguous.project_id AND e.email_id = ambiguous.email_id),
           (SELECT greatest(m.created_at, m.scheduled_at) FROM emails m WHERE m.project_id = ambiguous.project_id AND m.id = ambiguous.email_id)
         ) AS at) AS began`,
    );
    return row!.age;
  }
}
