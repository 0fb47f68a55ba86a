import { erasureEvent } from './operations.js';

const counted = (columns: string, table: string, filter: string, by: string) =>
  `SELECT ${columns} FROM ${table} WHERE project_id = $1 ${filter} GROUP BY ${by}`;

/** A count with its unfolded changes on the left, the rows that it counts on the right: `key` and `n` each. */
export const countComparisons: Readonly<Record<string, [kept: string, counted: string]>> = {
  contacts: [
    `SELECT 'all' AS key, sum(total) || ' ' || sum(subscribed) AS n FROM (SELECT total, subscribed FROM contact_counts WHERE project_id = $1
       UNION ALL SELECT total, subscribed FROM contact_count_deltas WHERE project_id = $1) AS p`,
    `SELECT 'all' AS key, count(*) || ' ' || count(*) FILTER (WHERE subscribed) AS n FROM contacts WHERE project_id = $1`,
  ],
  'members of a list': [
    `SELECT * FROM (SELECT list_id::text AS key, sum(pending) || ' ' || sum(confirmed) || ' ' || sum(unsubscribed) AS n FROM (
       SELECT project_id, list_id, pending, confirmed, unsubscribed FROM list_counts
       UNION ALL SELECT project_id, list_id, pending, confirmed, unsubscribed FROM list_count_deltas) AS p WHERE project_id = $1 GROUP BY 1) AS k WHERE n <> '0 0 0'`,
    counted(
      `list_id::text AS key, concat_ws(' ', count(*) FILTER (WHERE status = 'PENDING'), count(*) FILTER (WHERE status = 'CONFIRMED'), count(*) FILTER (WHERE status = 'UNSUBSCRIBED')) AS n`,
      'memberships',
      '',
      '1',
    ),
  ],
  'members of a segment': [
    `SELECT segment_id::text AS key, sum(total)::text AS n FROM (SELECT project_id, segment_id, total FROM segment_counts
       UNION ALL SELECT project_id, segment_id, total FROM segment_count_deltas) AS p WHERE project_id = $1 GROUP BY 1 HAVING sum(total) <> 0`,
    counted('segment_id::text AS key, count(*)::text AS n', 'segment_members', '', '1'),
  ],
  'events by name': [
    `SELECT name AS key, sum(count)::text AS n FROM (SELECT project_id, name, count FROM event_names
       UNION ALL SELECT project_id, name, count FROM event_count_deltas) AS p WHERE project_id = $1 AND name <> '${erasureEvent}' GROUP BY 1`,
    counted('name AS key, count(*)::text AS n', 'events', '', '1'),
  ],
  'events by day': [
    `SELECT name || ' ' || day AS key, sum(count)::text AS n FROM (SELECT project_id, name, day, count FROM event_days
       UNION ALL SELECT project_id, name, day, count FROM event_count_deltas) AS p WHERE project_id = $1 AND name <> '${erasureEvent}' GROUP BY 1`,
    counted(
      `name || ' ' || (occurred_at AT TIME ZONE 'UTC')::date AS key, count(*)::text AS n`,
      'events',
      '',
      '1',
    ),
  ],
  'summaries of events': [
    `SELECT contact_id || ' ' || name AS key, count || ' ' || first_at || ' ' || last_at AS n FROM event_summaries WHERE project_id = $1`,
    counted(
      `contact_id || ' ' || name AS key, count(*) || ' ' || min(occurred_at) || ' ' || max(occurred_at) AS n`,
      'events',
      '',
      'contact_id, name',
    ),
  ],
};
