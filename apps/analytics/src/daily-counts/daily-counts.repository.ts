import type { TimeseriesDay } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';

export const dailyMeasures = ['emails', 'delivered', 'opens', 'clicks', 'bounces'] as const;
export type DailyMeasure = (typeof dailyMeasures)[number];

export class DailyCounts {
  constructor(private readonly database: Database) {}

  /** Counts each instant on its UTC day. Days are locked in order, so that concurrent events do not deadlock. */
  async add(projectId: string, measure: DailyMeasure, instants: Date[]): Promise<void> {
    await this.database.query(
      `INSERT INTO daily_counts (project_id, day, ${measure})
       SELECT $1, (at AT TIME ZONE 'UTC')::date AS day, count(*) FROM unnest($2::timestamptz[]) AS occurred (at) GROUP BY day ORDER BY day
       ON CONFLICT (project_id, day) DO UPDATE SET ${measure} = daily_counts.${measure} + excluded.${measure}`,
      [projectId, instants],
    );
  }

  /** Days without events are missing. */
  between(projectId: string, from: Date, to: Date): Promise<TimeseriesDay[]> {
    return this.database.query(
      `SELECT to_char(day, 'YYYY-MM-DD') AS date, ${dailyMeasures.join(', ')} FROM daily_counts
       WHERE project_id = $1 AND day BETWEEN ($2::timestamptz AT TIME ZONE 'UTC')::date AND ($3::timestamptz AT TIME ZONE 'UTC')::date ORDER BY day`,
      [projectId, from, to],
    );
  }
}
