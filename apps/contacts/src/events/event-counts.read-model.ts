import { maxEventDays, maxEventNames, type EventDay } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';

/** How often each event happened, from folded counts and deltas in one statement. Each method returns one row more than is shown, where there are more. */
export class EventCounts {
  constructor(private readonly database: Database) {}

  async names(projectId: string): Promise<string[]> {
    const rows = await this.database.query<{ name: string }>(
      `SELECT name FROM (
         SELECT name, count FROM event_names WHERE project_id = $1
         UNION ALL SELECT name, count FROM event_count_deltas WHERE project_id = $1
       ) AS parts GROUP BY name ORDER BY sum(count) DESC, name LIMIT ${maxEventNames + 1}`,
      [projectId],
    );
    return rows.map(({ name }) => name);
  }

  days(projectId: string, from: Date, to: Date): Promise<EventDay[]> {
    const between = `project_id = $1 AND day BETWEEN ($2::timestamptz AT TIME ZONE 'UTC')::date AND ($3::timestamptz AT TIME ZONE 'UTC')::date`;
    return this.database.query(
      `SELECT name, to_char(day, 'YYYY-MM-DD') AS date, sum(count)::bigint AS count FROM (
         SELECT name, day, count FROM event_days WHERE ${between}
         UNION ALL SELECT name, day, count FROM event_count_deltas WHERE ${between}
       ) AS parts GROUP BY name, day ORDER BY day, name LIMIT ${maxEventDays + 1}`,
      [projectId, from, to],
    );
  }
}
