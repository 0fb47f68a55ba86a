import type { RebuildPosition } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';

interface CountedRows {
  counts: string;
  deltas: string;
  by: readonly string[];
  sums: readonly string[];
  rows: string;
  /** Whether rows with a count of 0 are deleted, because they would be listed. */
  dropsZeroes: boolean;
}

const filtered = (status: string): string =>
  `count(*) FILTER (WHERE status = '${status.toUpperCase()}') AS ${status}`;

const contacts: CountedRows = {
  counts: 'contact_counts',
  deltas: 'contact_count_deltas',
  by: ['project_id'],
  sums: ['total', 'subscribed'],
  dropsZeroes: false,
  rows: `SELECT project_id, count(*) AS total, count(*) FILTER (WHERE subscribed) AS subscribed FROM contacts WHERE project_id = $1 GROUP BY project_id`,
};
const lists: CountedRows = {
  counts: 'list_counts',
  deltas: 'list_count_deltas',
  by: ['project_id', 'list_id'],
  dropsZeroes: false,
  sums: ['pending', 'confirmed', 'unsubscribed'],
  rows: `SELECT project_id, list_id, ${['pending', 'confirmed', 'unsubscribed'].map(filtered).join(', ')}
    FROM memberships WHERE project_id = $1 AND list_id = $2 GROUP BY project_id, list_id`,
};
const segments: CountedRows = {
  counts: 'segment_counts',
  deltas: 'segment_count_deltas',
  by: ['project_id', 'segment_id'],
  sums: ['total'],
  dropsZeroes: false,
  rows: `SELECT project_id, segment_id, count(*) AS total FROM segment_members WHERE project_id = $1 AND segment_id = $2 GROUP BY project_id, segment_id`,
};
const events: readonly CountedRows[] = [
  {
    counts: 'event_names',
    deltas: 'event_count_deltas',
    by: ['project_id', 'name'],
    sums: ['count'],
    dropsZeroes: true,
    rows: `SELECT project_id, name, count(*) AS count FROM events WHERE project_id = $1 GROUP BY project_id, name`,
  },
  {
    counts: 'event_days',
    deltas: 'event_count_deltas',
    by: ['project_id', 'day', 'name'],
    sums: ['count'],
    dropsZeroes: true,
    rows: `SELECT project_id, (occurred_at AT TIME ZONE 'UTC')::date AS day, name, count(*) AS count FROM events WHERE project_id = $1 GROUP BY 1, 2, 3`,
  },
];

export class CountRebuilds {
  constructor(private readonly database: Database) {}

  contacts(projectId: string): Promise<number> {
    return this.repair(contacts, [projectId]);
  }

  list({ projectId, id }: RebuildPosition): Promise<number> {
    return this.repair(lists, [projectId, id]);
  }

  segment({ projectId, id }: RebuildPosition): Promise<number> {
    return this.repair(segments, [projectId, id]);
  }

  async events(projectId: string): Promise<number> {
    let repaired = 0;
    for (const each of events) repaired += await this.repair(each, [projectId]);
    return repaired;
  }

  /** One statement sees rows, counts and deltas at one instant. The difference is added, not set, so that concurrent writes are not lost. */
  private async repair(
    { counts, deltas, by, sums, rows, dropsZeroes }: CountedRows,
    key: string[],
  ): Promise<number> {
    const keys = by.join(', ');
    const columns = [...by, ...sums].join(', ');
    const within = by
      .slice(0, key.length)
      .map((column, index) => `${column} = $${index + 1}`)
      .join(' AND ');
    const [done] = await this.database.query<{ repaired: number }>(
      `WITH parts AS (
         SELECT ${columns} FROM (${rows}) AS actual
         UNION ALL SELECT ${[...by, ...sums.map((sum) => `-${sum}`)].join(', ')} FROM ${counts} WHERE ${within}
         UNION ALL SELECT ${[...by, ...sums.map((sum) => `-${sum}`)].join(', ')} FROM ${deltas} WHERE ${within}
       ), differences AS (
         SELECT ${keys}, ${sums.map((sum) => `sum(${sum})::bigint AS ${sum}`).join(', ')} FROM parts GROUP BY ${keys}
         HAVING ${sums.map((sum) => `sum(${sum}) <> 0`).join(' OR ')} ORDER BY ${keys}
       ), added AS (
         INSERT INTO ${counts} AS known (${columns}) SELECT ${columns} FROM differences
         ON CONFLICT (${keys}) DO UPDATE SET ${sums.map((sum) => `${sum} = known.${sum} + excluded.${sum}`).join(', ')} RETURNING 1
       )
       SELECT count(*) AS repaired FROM added`,
      key,
    );
    if (dropsZeroes)
      await this.database.query(`DELETE FROM ${counts} WHERE ${within} AND ${sums[0]} = 0`, key);
    return done!.repaired;
  }
}
