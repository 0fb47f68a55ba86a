import {
  contactEvents,
  maxEventItems,
  type CustomEvent,
  type EventQuery,
  type ListEvents,
} from '@posthorn/contracts';
import {
  lockTimeout,
  lockTimeoutIsSet,
  pageLimit,
  toPage,
  totalCap,
  type Database,
  type Page,
} from '@posthorn/database';
import { outboxInsert } from '@posthorn/messaging';
import { currentTraces } from '@posthorn/telemetry';
import { marksDirty } from '../segments/segment-dirty.repository.js';

/** Of one statement, and so of one fact. */
export const maxEventsAtOnce = maxEventItems;

/** An event with its contact, ready to be stored. */
export interface NewEvent {
  projectId: string;
  id: string;
  contactId: string;
  name: string;
  payload: object;
  /** Null for the instant of its recording. */
  occurredAt: Date | null;
  /** Postgres time; past it nothing is stored. */
  deadline: Date | null;
}

const columns = `id, name, contact_id AS "contactId", email_id AS "emailId", payload, created_at AS "createdAt"`;

export class EventsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Events, their summaries and counts, whose segments are to be looked at, and one event a project: one statement. Answers the instants by id;
   * an event that is not among them is late, or of no contact.
   */
  async insert(events: NewEvent[], timeouts: string | null = null): Promise<Map<string, Date>> {
    const recorded = await this.database.prepared<{ id: string; at: Date }>({
      name: 'record events',
      sql: insertSql,
      parameters: [
        events.map(({ projectId }) => projectId),
        events.map(({ id }) => id),
        events.map(({ contactId }) => contactId),
        events.map(({ name }) => name),
        events.map(({ payload }) => JSON.stringify(payload)),
        events.map(({ occurredAt }) => occurredAt),
        events.map(({ deadline }) => deadline),
        currentTraces(),
        timeouts,
      ],
    });
    return new Map(recorded.map(({ id, at }) => [id, at]));
  }

  /** By id, which is the order of recording: the partitions stand in that order too, so a page reads no more of them than it shows. */
  async page(projectId: string, query: ListEvents): Promise<Page<CustomEvent>> {
    const { sql, parameters } = matching(projectId, query);
    const rows = await this.database.query<CustomEvent>(
      `SELECT ${columns} FROM events ${sql} AND ($${parameters.length + 1}::uuid IS NULL OR id < $${parameters.length + 1})
       ORDER BY id DESC LIMIT $${parameters.length + 2}`,
      [...parameters, query.after?.id ?? null, pageLimit(query) + 1],
    );
    return toPage(rows, query);
  }

  /** How many match, counted no further than one beyond the cap (docs/api-decisions.md §1). */
  async countMatches(projectId: string, filter: EventQuery): Promise<number> {
    const { sql, parameters } = matching(projectId, filter);
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*) AS count FROM (SELECT 1 FROM events ${sql} LIMIT ${totalCap + 1}) AS capped`,
      parameters,
    );
    return row!.count;
  }
}

function matching(
  projectId: string,
  { eventName, contactId }: EventQuery,
): { sql: string; parameters: unknown[] } {
  const parameters: unknown[] = [projectId];
  let sql = `WHERE project_id = $1`;
  if (eventName !== undefined) sql += ` AND name = $${parameters.push(eventName)}`;
  if (contactId !== undefined) sql += ` AND contact_id = $${parameters.push(contactId)}`;
  return { sql, parameters };
}

/**
 * Parts of a statement: the rows of `from` (project_id, id, contact_id, name, payload, occurred_at) become events, with their summaries and
 * counts, and one event a project. `recorded` has what became one. Summaries are written in one order, whoever writes: two batches then wait
 * for one another, never both.
 */
export const recordsEvents = (from: string, traces: string): string => `
  recorded AS (
    INSERT INTO events (project_id, id, contact_id, name, payload, occurred_at)
    SELECT project_id, id, contact_id, name, payload::jsonb, coalesce(occurred_at, now()) FROM ${from}
    RETURNING project_id, id, contact_id, name, email_id, occurred_at, created_at
  ), summed AS (
    INSERT INTO event_summaries AS known (project_id, contact_id, name, count, first_at, last_at)
    SELECT project_id, contact_id, name, count(*), min(occurred_at), max(occurred_at) FROM recorded GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (project_id, contact_id, name) DO UPDATE
      SET count = known.count + excluded.count, first_at = least(known.first_at, excluded.first_at), last_at = greatest(known.last_at, excluded.last_at)
  ), named AS (
    INSERT INTO event_count_deltas (project_id, day, name, count)
    SELECT project_id, (occurred_at AT TIME ZONE 'UTC')::date, name, count(*) FROM recorded GROUP BY 1, 2, 3
  ), record_fact AS (
    ${outboxInsert(
      {
        id: 'uuidv7()',
        projectId: 'project_id',
        fact: `'${contactEvents.eventRecorded.name}'`,
        items: `jsonb_agg(jsonb_build_object('eventId', id, 'contactId', contact_id,
      'name', name, 'emailId', email_id, 'at', to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) ORDER BY id)`,
        traces,
      },
      'FROM recorded GROUP BY project_id',
    )}
  )`;

// Contacts are looked up by a scalar subquery: as a join, a plan that was made while the table was young reads all of it.
const insertSql = `
  WITH ${lockTimeout('$9')}, asked AS (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[])
      AS a (project_id, id, contact_id, name, payload, occurred_at, deadline)
    WHERE ${lockTimeoutIsSet} AND (deadline IS NULL OR clock_timestamp() < deadline)
  ), of_contacts AS (
    SELECT * FROM asked
    WHERE (SELECT true FROM contacts WHERE contacts.project_id = asked.project_id AND contacts.id = asked.contact_id)
  ), ${recordsEvents('of_contacts', '$8')}, ${marksDirty('(SELECT DISTINCT project_id, contact_id AS id FROM recorded)')}
  SELECT id, created_at AS at FROM recorded`;
