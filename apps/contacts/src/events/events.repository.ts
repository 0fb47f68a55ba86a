import {
  contactEvents,
  maxEventItems,
  type CustomEvent,
  type EventQuery,
  type ListEvents,
} from '@posthorn/contracts';
import {
  cappedTotal,
  columnsOf,
  equals,
  lockTimeout,
  lockTimeoutIsSet,
  narrowedBy,
  pageLimit,
  toPage,
  totalCap,
  type Database,
  type Page,
  type Total,
} from '@posthorn/database';
import { outboxInsert } from '@posthorn/messaging';
import { currentTraces } from '@posthorn/telemetry';
import { marksDirty } from '../segments/segment-dirty.repository.js';

/** One statement writes one event a project, which carries no more. */
export const maxEventsAtOnce = maxEventItems;

export interface NewEvent {
  projectId: string;
  id: string;
  contactId: string;
  name: string;
  payload: object;
  occurredAt: Date | null;
  deadline: Date | null;
}

const rows = columnsOf<NewEvent>([
  { column: 'project_id', type: 'uuid', value: ({ projectId }) => projectId },
  { column: 'id', type: 'uuid', value: ({ id }) => id },
  { column: 'contact_id', type: 'uuid', value: ({ contactId }) => contactId },
  { column: 'name', type: 'text', value: ({ name }) => name },
  { column: 'payload', type: 'text', value: ({ payload }) => JSON.stringify(payload) },
  { column: 'occurred_at', type: 'timestamptz', value: ({ occurredAt }) => occurredAt },
  { column: 'deadline', type: 'timestamptz', value: ({ deadline }) => deadline },
]);

const columns = `id, name, contact_id AS "contactId", email_id AS "emailId", payload, created_at AS "createdAt"`;

export class EventsRepository {
  constructor(private readonly database: Database) {}

  /** Returns the instants of recording by id; an event without one is past its deadline, or its contact does not exist. */
  async insert(events: NewEvent[], timeout: string | null = null): Promise<Map<string, Date>> {
    const recorded = await this.database.prepared<{ id: string; at: Date }>({
      name: 'record events',
      sql: insertSql,
      parameters: [currentTraces(), timeout, ...rows.values(events)],
    });
    return new Map(recorded.map(({ id, at }) => [id, at]));
  }

  /** Ordered by id, which is also the order of the partitions: a page reads only those that it shows. */
  async page(projectId: string, query: ListEvents): Promise<Page<CustomEvent>> {
    const parameters: unknown[] = [projectId];
    const before = query.after && { sql: 'row.id < :id', parameters: { id: query.after.id } };
    const narrowed = narrowedBy([...filtersOf(query), before ?? null], parameters);
    const found = await this.database.query<CustomEvent>(
      `SELECT ${columns} FROM events AS row WHERE project_id = $1${narrowed} ORDER BY id DESC LIMIT ${pageLimit(query) + 1}`,
      parameters,
    );
    return toPage(found, query);
  }

  async countMatches(projectId: string, filter: EventQuery): Promise<Total> {
    const parameters: unknown[] = [projectId];
    const narrowed = narrowedBy(filtersOf(filter), parameters);
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*) AS count FROM (SELECT 1 FROM events AS row WHERE project_id = $1${narrowed} LIMIT ${totalCap + 1}) AS capped`,
      parameters,
    );
    return cappedTotal(row!.count);
  }
}

const filtersOf = ({ eventName, contactId }: EventQuery) => [
  equals('row.name', eventName),
  equals('row.contact_id', contactId),
];

// `from` has the columns project_id, id, contact_id, name, payload and occurred_at; other parts may read
// `recorded`. Summaries are written in one order, so that batches do not deadlock.
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
  ), reported AS (
    ${outboxInsert(
      {
        id: 'uuidv7()',
        projectId: 'project_id',
        eventName: `'${contactEvents.eventRecorded.name}'`,
        items: `jsonb_agg(jsonb_build_object('eventId', id, 'contactId', contact_id,
      'name', name, 'emailId', email_id, 'at', to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) ORDER BY id)`,
        traces,
      },
      'FROM recorded GROUP BY project_id',
    )}
  )`;

// Contacts are found by a scalar subquery: a join whose plan was made while the table was small would read all of it.
const insertSql = `
  WITH ${lockTimeout('$2')}, requested AS (
    SELECT * FROM ${rows.unnest('request', 3)}
    WHERE ${lockTimeoutIsSet} AND (deadline IS NULL OR clock_timestamp() < deadline)
  ), of_contacts AS (
    SELECT * FROM requested
    WHERE (SELECT true FROM contacts WHERE contacts.project_id = requested.project_id AND contacts.id = requested.contact_id)
  ), ${recordsEvents('of_contacts', '$1')}, ${marksDirty('(SELECT DISTINCT project_id, contact_id AS id FROM recorded)')}
  SELECT id, created_at AS at FROM recorded`;
