import { contactEvents, maxCustomFields, maxEventItems } from '@posthorn/contracts';
import {
  columnsOf,
  lockTimeout,
  lockTimeoutIsSet,
  newId,
  textArray,
  type Database,
} from '@posthorn/database';
import { outboxInsert } from '@posthorn/messaging';
import { currentTraces } from '@posthorn/telemetry';
import { recordsConsents } from '../../consents/consents.repository.js';
import { marksDirty } from '../../segments/segment-dirty.repository.js';
import { keyOf, type ContactBefore, type ContactWrite, type WriteOrigin } from './contact-write.js';
import { contactAt, ofRequested } from '../contact-at.js';
import { ContactRow } from '../contact.entity.js';
import { withoutNulls } from './custom-fields.js';

export interface Written {
  contact: ContactRow;
  before: ContactBefore | null;
}

interface WrittenRow {
  position: number;
  id: string;
  subscribed: boolean;
  customFields: ContactRow['customFields'];
  seq: number;
  createdAt: Date;
  updatedAt: Date;
  wasSubscribed: boolean | null;
  wasFields: ContactRow['customFields'] | null;
  wasSeq: number | null;
}

/** A write as the statement takes it: under an id that becomes the contact's if it is new, and in a group of writes that one event reports. */
interface RequestedWrite {
  write: ContactWrite;
  id: string;
  group: number;
  ofAnySize: boolean;
}

/** Larger batches are planned for their size, the others once for each connection. */
const maxPreparedWrites = 64;

export const flag = {
  subscribed: 1,
  keeps: 2,
  replaces: 4,
  onlyNew: 8,
  onlyKnown: 16,
  inBulk: 32,
  ofAnySize: 64,
} as const;

const requests = columnsOf<RequestedWrite>([
  { column: 'position', type: 'int', value: (_, index) => index + 1 },
  { column: 'key', type: 'text', value: ({ write }) => keyOf(write) },
  { column: 'project_id', type: 'uuid', value: ({ write }) => write.projectId },
  { column: 'id', type: 'uuid', value: ({ id }) => id },
  { column: 'email', type: 'text', value: ({ write }) => write.email },
  { column: 'flags', type: 'int', value: flagsOf },
  {
    column: 'fields',
    type: 'text',
    value: ({ write }) => JSON.stringify(withoutNulls(write.customFields ?? {})),
  },
  { column: 'removed', type: 'text', value: ({ write }) => removedBy(write.customFields) },
  { column: 'deadline', type: 'timestamptz', value: ({ write }) => write.deadline ?? null },
  { column: 'group_number', type: 'int', value: ({ group }) => group },
]);

const origins = columnsOf<WriteOrigin>([
  { column: 'actor', type: 'text', value: ({ actor }) => actor && JSON.stringify(actor) },
  { column: 'address', type: 'text', value: ({ address }) => address },
  { column: 'published_address', type: 'text', value: ({ publishedAddress }) => publishedAddress },
  { column: 'user_agent', type: 'text', value: ({ userAgent }) => userAgent },
  { column: 'source', type: 'text', value: ({ source }) => source },
  { column: 'text', type: 'text', value: ({ text }) => text },
]);

const firstRequest = 3;
const firstOrigin = firstRequest + requests.count;

export const contactParameters = {
  traces: '$1',
  lockTimeout: '$2',
  next: firstOrigin + origins.count,
} as const;

export class ContactWritesRepository {
  constructor(private readonly database: Database) {}

  // Returns the contacts that were created or changed, by the index of their write. One without a result
  // changes nothing, is late, or may be too large: Postgres' JSON is longer than the one whose size is
  // limited.
  async write(
    writes: ContactWrite[],
    ofAnySize: boolean,
    timeout: string | null = null,
  ): Promise<Map<number, Written>> {
    const parameters = contactParametersOf(writes, ofAnySize, timeout);
    const rows =
      writes.length <= maxPreparedWrites
        ? await this.database.prepared<WrittenRow>({ name: 'write contacts', sql: writeSql, parameters })
        : await this.database.query<WrittenRow>(writeSql, parameters);
    return new Map(rows.map((row) => [row.position - 1, written(writes[row.position - 1]!, row)]));
  }
}

function written({ projectId, email }: ContactWrite, row: WrittenRow): Written {
  const { id, subscribed, customFields, seq, createdAt, updatedAt, wasSubscribed, wasFields, wasSeq } = row;
  const contact = Object.assign(new ContactRow(), {
    projectId,
    email,
    id,
    subscribed,
    customFields,
    seq,
    createdAt,
    updatedAt,
  });
  return {
    contact,
    before: wasSeq === null ? null : { subscribed: wasSubscribed!, customFields: wasFields!, seq: wasSeq },
  };
}

// A conflicting row sees only the values to be inserted. The new ids ascend with the positions, so the
// excluded id tells which write it belongs to, and its other columns are read by subscript.
const excludedPosition = `width_bucket(excluded.id, ${requests.array('id', firstRequest)})`;
const requested = (column: string) => `${requests.array(column, firstRequest)}[${excludedPosition}]`;
/** A new row is found by its id: among texts, which have no fixed length, the search reads half of them. */
const writtenPosition = `CASE WHEN old.id IS NULL THEN width_bucket(known.id, ${requests.array('id', firstRequest)})
  ELSE width_bucket(known.project_id::text || known.email COLLATE "C", ${requests.array('key', firstRequest)}) END`;
const flags = requested('flags');
const subscribed = `CASE WHEN ${flags} & ${flag.keeps} <> 0 THEN known.subscribed ELSE excluded.subscribed END`;
const fields = `CASE WHEN ${flags} & ${flag.replaces} <> 0 THEN excluded.custom_fields
  ELSE (known.custom_fields || excluded.custom_fields) - coalesce(${requested('removed')}::text[], '{}') END`;

/** Read by subscript as well: a join of the parts by their rows would compare all of them. */
const ofChange = (column: string) => `${requests.array(column, firstRequest)}[position]`;
const groupOfChange = ofChange('group_number');
const given = (column: string, group = 'group_number') => `${origins.array(column, firstOrigin)}[${group}]`;
const originOfChange = `SELECT ${['actor', 'address', 'user_agent', 'source', 'text']
  .map((column) => `${given(column, groupOfChange)} AS ${column}`)
  .join(', ')}`;
const eventOfChange = `CASE
  WHEN was_seq IS NULL THEN CASE WHEN ${ofChange('flags')} & ${flag.inBulk} = 0 THEN '${contactEvents.created.name}' END
  WHEN subscribed = was_subscribed THEN '${contactEvents.updated.name}'
  WHEN subscribed THEN '${contactEvents.subscribed.name}' ELSE '${contactEvents.unsubscribed.name}' END`;

// Other parts of the statement may read `changed`: the contacts that were created or changed, with the
// position of their write. Contacts that meet `leftOut`, a condition on `known` and `requested`, are not even
// locked.
export const writesContacts = (leftOut = ''): string => `
  ${lockTimeout(contactParameters.lockTimeout)}, requested AS (
    SELECT * FROM ${requests.unnest('request', firstRequest)} WHERE ${lockTimeoutIsSet}
  ), changed AS (
    INSERT INTO contacts AS known (project_id, id, email, subscribed, custom_fields)
    SELECT project_id, id, email, flags & ${flag.subscribed} <> 0, fields::jsonb FROM requested
    WHERE (deadline IS NULL OR clock_timestamp() < deadline)
      AND (flags & ${flag.onlyKnown} = 0 OR EXISTS (${contactAt(ofRequested, '')}))
      ${leftOut && `AND NOT EXISTS (${contactAt(ofRequested, '', 'known')} AND ${leftOut})`}
    ORDER BY position
    ON CONFLICT (project_id, email) DO UPDATE
      SET subscribed = ${subscribed}, custom_fields = ${fields}, seq = known.seq + 1, updated_at = clock_timestamp()
      WHERE ${flags} & ${flag.onlyNew} = 0
        AND (known.subscribed <> ${subscribed} OR known.custom_fields <> ${fields})
        AND (${flags} & ${flag.ofAnySize} <> 0 OR octet_length((${fields})::text) <= ${maxCustomFields})
    RETURNING known.*, old.subscribed AS was_subscribed, old.custom_fields AS was_fields, old.seq AS was_seq,
      ${writtenPosition} AS position
  ), counted AS (
    INSERT INTO contact_count_deltas (project_id, total, subscribed)
    SELECT project_id, total, subscribed FROM (
      SELECT project_id, count(*) FILTER (WHERE was_seq IS NULL) AS total, sum(subscribed::int - coalesce(was_subscribed::int, 0)) AS subscribed
      FROM changed GROUP BY project_id
    ) AS sums WHERE total <> 0 OR subscribed <> 0
  ), consent AS (
    ${recordsConsents(`changed, LATERAL (${originOfChange}) AS origin WHERE changed.subscribed IS DISTINCT FROM changed.was_subscribed`)}
  ), ${marksDirty('changed')}, published AS (
    ${outboxInsert(
      {
        id: 'uuidv7()',
        projectId: 'project_id',
        eventName: 'event',
        items: 'items',
        traces: contactParameters.traces,
        actor: `${given('actor')}::jsonb`,
        ipAddress: given('published_address'),
      },
      `FROM (
      SELECT project_id, event, group_number, jsonb_agg(jsonb_build_object('contactId', id, 'email', email, 'subscribed', subscribed, 'seq', seq, 'source', ${given('source')},
          'at', to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) ORDER BY position) AS items
      FROM (SELECT *, ${eventOfChange} AS event, ${groupOfChange} AS group_number FROM changed) AS events
      WHERE event IS NOT NULL GROUP BY project_id, event, group_number
    ) AS events`,
    )}
  )`;

const writeSql = `WITH ${writesContacts()}
  SELECT position, id, subscribed, custom_fields AS "customFields", seq, created_at AS "createdAt", updated_at AS "updatedAt",
    was_subscribed AS "wasSubscribed", was_fields AS "wasFields", was_seq AS "wasSeq" FROM changed`;

export function contactParametersOf(
  writes: readonly ContactWrite[],
  ofAnySize: boolean,
  timeout: string | null,
): unknown[] {
  const ids = writes.map(() => newId()).sort();
  const { groups, origins: given } = groupedByOrigin(writes);
  const rows = writes.map((write, index) => ({ write, id: ids[index]!, group: groups[index]!, ofAnySize }));
  return [currentTraces(), timeout, ...requests.values(rows), ...origins.values(given)];
}

function flagsOf({ write, ofAnySize }: RequestedWrite): number {
  const {
    subscribed: wanted,
    subscribedWhenNew = true,
    customFields,
    customFieldsMode,
    only,
    inBulk,
  } = write;
  return (
    ((wanted ?? subscribedWhenNew) ? flag.subscribed : 0) |
    (wanted === undefined ? flag.keeps : 0) |
    (customFields && customFieldsMode === 'REPLACE' ? flag.replaces : 0) |
    (only === 'NEW' ? flag.onlyNew : only === 'KNOWN' ? flag.onlyKnown : 0) |
    (inBulk ? flag.inBulk : 0) |
    (ofAnySize ? flag.ofAnySize : 0)
  );
}

function removedBy(customFields: ContactWrite['customFields']): string | null {
  const names = Object.entries(customFields ?? {}).flatMap(([name, value]) => (value === null ? [name] : []));
  return names.length > 0 ? textArray(names) : null;
}

/** Writes that one event may report: they have the same origin, and are no more than an event carries. Groups are numbered from 1. */
function groupedByOrigin(writes: readonly ContactWrite[]): { groups: number[]; origins: WriteOrigin[] } {
  const given: WriteOrigin[] = [];
  const open = new Map<string, { number: number; size: number }>();
  const groups = writes.map(({ origin }) => {
    const name = JSON.stringify(origin);
    let group = open.get(name);
    if (!group || group.size === maxEventItems)
      open.set(name, (group = { number: given.push(origin), size: 0 }));
    group.size += 1;
    return group.number;
  });
  return { groups, origins: given };
}
