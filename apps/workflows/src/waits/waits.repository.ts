import { columnsOf, type Database } from '@posthorn/database';
import { fanOutWork, startWork, type Arrival } from '../work-kinds.js';

export interface NewWait {
  contactId: string;
  eventName: string;
  executionId: string;
  /** Events from this instant on end it, to its timeout. */
  since: Date;
  /** The events that led to the wait, which do not end it. */
  ledBy: readonly string[];
  until: Date;
}

const waits = columnsOf<NewWait>([
  { column: 'contact_id', type: 'uuid', value: ({ contactId }) => contactId },
  { column: 'event_name', type: 'text', value: ({ eventName }) => eventName },
  { column: 'execution_id', type: 'uuid', value: ({ executionId }) => executionId },
  { column: 'since', type: 'timestamptz', value: ({ since }) => since },
  { column: 'led_by', type: 'jsonb', value: ({ ledBy }) => JSON.stringify(ledBy) },
  { column: 'until', type: 'timestamptz', value: ({ until }) => until },
]);

const arrivals = columnsOf<Arrival>([
  { column: 'contact_id', type: 'uuid', value: ({ contactId }) => contactId },
  { column: 'event_name', type: 'text', value: ({ name }) => name },
  { column: 'event_id', type: 'uuid', value: ({ id }) => id },
  { column: 'at', type: 'timestamptz', value: ({ at }) => at },
  { column: 'data', type: 'jsonb', value: ({ data }) => data && JSON.stringify(data) },
]);

/** How long an event is kept for waits that are about to be registered. */
const keptMinutes = 60;
/** Where starts of the project or an execution of the contact are behind: the hourly cap puts them off for a day. */
const keptHoursOfBacklog = 26;
const purgedAtOnce = 10_000;

export class WaitsRepository {
  constructor(private readonly database: Database) {}

  /** A wait and an event meet under this lock, so that whoever comes second finds the other (docs/decisions/0030-workflows.md). */
  async lock(projectId: string, keys: readonly { contactId: string; eventName: string }[]): Promise<void> {
    if (keys.length === 0) return;
    await this.database.often(
      `SELECT pg_advisory_xact_lock(key) FROM (
         SELECT DISTINCT hashtextextended($1 || ' ' || contact_id || ' ' || event_name, 0) AS key
         FROM unnest($2::text[], $3::text[]) AS k (contact_id, event_name) ORDER BY 1) AS sorted`,
      [projectId, keys.map(({ contactId }) => contactId), keys.map(({ eventName }) => eventName)],
    );
  }

  /** Executions whose event had arrived already. */
  async register(projectId: string, registered: readonly NewWait[]): Promise<string[]> {
    if (registered.length === 0) return [];
    const rows = await this.database.query<{ id: string }>(
      `WITH added AS (
         INSERT INTO execution_waits (project_id, contact_id, event_name, execution_id, since, until, led_by, met_by, met_data, met_at)
         SELECT $1::uuid, n.contact_id, n.event_name, n.execution_id, n.since, n.until, n.led_by, a.event_id, a.data, a.at FROM ${waits.unnest('n', 2)}
         LEFT JOIN LATERAL (
           SELECT event_id, data, at FROM awaited_events a
           WHERE a.project_id = $1 AND a.contact_id = n.contact_id AND a.event_name = n.event_name AND a.at BETWEEN n.since AND n.until
             AND NOT n.led_by ? a.event_id::text ORDER BY a.at, a.event_id LIMIT 1
         ) AS a ON true
         ON CONFLICT (project_id, contact_id, event_name, execution_id) DO NOTHING RETURNING execution_id, met_by)
       SELECT execution_id AS id FROM added WHERE met_by IS NOT NULL`,
      [projectId, ...waits.values([...registered])],
    );
    const met = rows.map(({ id }) => id);
    await this.wake(projectId, met);
    return met;
  }

  async remove(projectId: string, executionIds: readonly string[]): Promise<void> {
    if (executionIds.length === 0) return;
    await this.database.query(
      `DELETE FROM execution_waits WHERE project_id = $1 AND execution_id = ANY ($2::uuid[])`,
      [projectId, executionIds],
    );
  }

  /** Those of the names for which a workflow of the project waits, or an execution of an earlier version. */
  async awaitedNames(projectId: string, names: readonly string[]): Promise<Set<string>> {
    const rows = await this.database.query<{ name: string }>(
      // The least name is one look into the index; EXISTS may read every wait of the project.
      `SELECT config ->> 'eventName' AS name FROM workflow_steps
       WHERE type = 'WAIT_FOR_EVENT' AND project_id = $1 AND config ->> 'eventName' = ANY ($2::text[])
       UNION SELECT name FROM unnest($2::text[]) AS name
       WHERE name = (SELECT min(event_name) FROM execution_waits WHERE project_id = $1 AND event_name >= name)`,
      [projectId, names],
    );
    return new Set(rows.map(({ name }) => name));
  }

  /** Stores the events for waits that come later, and ends those that are there. Returns the executions that go on. */
  async arrive(projectId: string, arrived: readonly Arrival[]): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `WITH arrived AS (SELECT * FROM ${arrivals.unnest('a', 2)}),
       stored AS (
         INSERT INTO awaited_events (project_id, contact_id, event_name, event_id, at, data) SELECT $1::uuid, arrived.* FROM arrived ON CONFLICT DO NOTHING)
       UPDATE execution_waits w SET met_by = first.event_id, met_data = first.data, met_at = first.at
       FROM (SELECT DISTINCT ON (contact_id, event_name, execution_id) execution_id, contact_id, event_name, event_id, data, arrived.at FROM arrived
             JOIN execution_waits known USING (contact_id, event_name)
             WHERE known.project_id = $1 AND known.met_by IS NULL AND arrived.at BETWEEN known.since AND known.until
               AND NOT coalesce(known.led_by ? arrived.event_id::text, false)
             ORDER BY contact_id, event_name, execution_id, arrived.at) AS first
       WHERE w.project_id = $1 AND w.contact_id = first.contact_id AND w.event_name = first.event_name AND w.execution_id = first.execution_id
       RETURNING w.execution_id AS id`,
      [projectId, ...arrivals.values([...arrived])],
    );
    const ended = rows.map(({ id }) => id);
    await this.wake(projectId, ended);
    return ended;
  }

  /** How many were removed. Who is overdue or awaits the answer of a webhook may come to a wait that counts from before. */
  async purge(): Promise<number> {
    const rows = await this.database.query(
      `DELETE FROM awaited_events WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM awaited_events a WHERE arrived_at < now() - make_interval(mins => $1) AND (arrived_at < now() - make_interval(hours => $3)
           OR NOT EXISTS (SELECT FROM work_items s WHERE s.project_id = a.project_id AND s.kind = '${startWork.name}')
             AND NOT EXISTS (SELECT FROM work_items f WHERE f.project_id = a.project_id AND f.kind = '${fanOutWork.name}')
             AND NOT EXISTS (SELECT FROM executions e WHERE e.project_id = a.project_id AND e.contact_id = a.contact_id
               AND e.ended_at IS NULL AND (e.due_at < now() OR e.wait = 'WEBHOOK'))) LIMIT $2)) RETURNING 1`,
      [keptMinutes, purgedAtOnce, keptHoursOfBacklog],
    );
    return rows.length;
  }

  private async wake(projectId: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.database.query(
      `UPDATE executions SET due_at = now() WHERE project_id = $1 AND id = ANY ($2::uuid[]) AND ended_at IS NULL`,
      [projectId, ids],
    );
  }
}
