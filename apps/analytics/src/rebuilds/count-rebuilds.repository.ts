import type { Database } from '@posthorn/database';
import { oldestHour } from '../mail-counts/count-deltas.repository.js';
import { measures } from '../mail-counts/measures.js';

export interface TakenEvent {
  eventId: string;
  subscriber: string;
}

const noId = '00000000-0000-0000-0000-000000000000';
const keyColumns = ['project_id', 'hourly', 'kind', 'owner', 'at', 'key'];
const sameKey = keyColumns.map((column) => `c.${column} = r.${column}`).join(' AND ');
const sameCounts = measures.map((measure) => `c.${measure} = r.${measure}`).join(' AND ');
const counts = measures.map((measure) => `r.${measure}`).join(', ');
/** Events of the page that were under way left these, if they have not arrived since. */
const isCounted = `(${measures.map((measure) => `r.${measure} <> 0`).join(' OR ')})`;

/** Of a project that is locked. */
export class CountRebuilds {
  constructor(private readonly database: Database) {}

  async hasDeadLetters(): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT FROM dead_letters WHERE subscriber LIKE 'analytics-counts-%' LIMIT 1`,
    );
    return rows.length > 0;
  }

  async projectAfter(after: string): Promise<string | null> {
    const [row] = await this.database.query<{ id: string }>(
      `SELECT project_id AS id FROM mail_counts WHERE project_id > $1 ORDER BY project_id LIMIT 1`,
      [after],
    );
    return row?.id ?? null;
  }

  async begin(projectId: string): Promise<void> {
    await this.database.query(`DELETE FROM mail_counts_rebuilt WHERE project_id = $1`, [projectId]);
    await this.database.query(`DELETE FROM mail_count_deltas WHERE project_id = $1 AND NOT live`, [
      projectId,
    ]);
    await this.database.query(
      `UPDATE mail_count_deltas SET rebuilt = false WHERE project_id = $1 AND rebuilt`,
      [projectId],
    );
    await this.database.query(
      `INSERT INTO mail_count_rebuilds (project_id, after_email) VALUES ($1, '${noId}')
       ON CONFLICT (project_id) DO UPDATE SET after_email = excluded.after_email`,
      [projectId],
    );
  }

  async positionOf(projectId: string): Promise<string | null> {
    const [row] = await this.database.query<{ after: string }>(
      `SELECT after_email AS after FROM mail_count_rebuilds WHERE project_id = $1`,
      [projectId],
    );
    return row?.after ?? null;
  }

  async moveTo(projectId: string, emailId: string): Promise<void> {
    await this.database.query(`UPDATE mail_count_rebuilds SET after_email = $2 WHERE project_id = $1`, [
      projectId,
      emailId,
    ]);
  }

  async takenAmong(events: readonly TakenEvent[]): Promise<Set<string>> {
    const rows = await this.database.query<{ id: string }>(
      `SELECT i.event_id AS id FROM unnest($1::text[], $2::uuid[]) AS e (subscriber, event_id)
       JOIN inbox i ON i.subscriber = e.subscriber AND i.event_id = e.event_id`,
      [events.map(({ subscriber }) => subscriber), events.map(({ eventId }) => eventId)],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Sets the counters to what was counted again, from the day of the first stored e-mail on; returns how many were wrong. */
  async exchange(projectId: string): Promise<number> {
    const since = `(SELECT min(at) FROM mail_counts_rebuilt WHERE project_id = $1 AND NOT hourly AND kind = 'all')`;
    const range = (row: string) =>
      `${row}.project_id = $1 AND ${row}.at >= ${since} AND (NOT ${row}.hourly OR ${row}.at >= ${oldestHour})`;
    const gone = await this.database.query<{ name: string }>(
      `DELETE FROM mail_counts c WHERE ${range('c')}
         AND NOT EXISTS (SELECT FROM mail_counts_rebuilt r WHERE ${sameKey} AND ${sameCounts})
       RETURNING concat_ws(' ', hourly, kind, owner, at, key) AS name`,
      [projectId],
    );
    const made = await this.database.query<{ name: string }>(
      `INSERT INTO mail_counts (${keyColumns.join(', ')}, ${measures.join(', ')})
       SELECT ${keyColumns.map((column) => `r.${column}`).join(', ')}, ${counts} FROM mail_counts_rebuilt r
       WHERE ${range('r')} AND ${isCounted} AND NOT EXISTS (SELECT FROM mail_counts c WHERE ${sameKey})
       RETURNING concat_ws(' ', hourly, kind, owner, at, key) AS name`,
      [projectId],
    );
    await this.database.query(`DELETE FROM mail_counts_rebuilt WHERE project_id = $1`, [projectId]);
    await this.database.query(`DELETE FROM mail_count_rebuilds WHERE project_id = $1`, [projectId]);
    return new Set([...gone, ...made].map(({ name }) => name)).size;
  }
}
