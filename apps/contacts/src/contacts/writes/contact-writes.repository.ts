import { contactEvents, maxCustomFields, maxEventItems } from '@posthorn/contracts';
import { lockTimeout, lockTimeoutIsSet, newId, type Database } from '@posthorn/database';
import { outboxInsert } from '@posthorn/messaging';
import { currentTraces } from '@posthorn/telemetry';
import { recordsConsents } from '../../consents/consents.repository.js';
import { marksDirty } from '../../segments/segment-dirty.repository.js';
import { keyOf, type ContactBefore, type ContactWrite, type WriteOrigin } from './contact-write.js';
import { ContactRow } from '../contact.entity.js';
import { withoutNulls } from './custom-fields.js';

/** A contact that was made or changed; `before` is null where it was made. */
export interface Written {
  contact: ContactRow;
  before: ContactBefore | null;
}

interface WrittenRow {
  place: number;
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

/** Beyond this a statement is planned for its size; up to it, once for each connection. */
const maxOfPrepared = 64;

export const flag = {
  subscribed: 1,
  keeps: 2,
  replaces: 4,
  onlyNew: 8,
  onlyKnown: 16,
  inBulk: 32,
  ofAnySize: 64,
} as const;

/** The one statement that makes and changes contacts by their addresses, with all that follows of it. */
export class ContactWritesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Makes or changes what has to be, one contact an address; answers those by their place, which is that of the write. What is missing in the
   * answer changes nothing, is left alone by `only`, is late, or may be too large: of a large row only JavaScript knows the bytes.
   */
  async write(
    writes: ContactWrite[],
    ofAnySize: boolean,
    timeouts: string | null = null,
  ): Promise<Map<number, Written>> {
    const parameters = contactParametersOf(writes, ofAnySize, timeouts);
    const rows =
      writes.length <= maxOfPrepared
        ? await this.database.prepared<WrittenRow>({ name: 'write contacts', sql: writeSql, parameters })
        : await this.database.query<WrittenRow>(writeSql, parameters);
    return new Map(rows.map((row) => [row.place - 1, written(writes[row.place - 1]!, row)]));
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

/*
 * A conflicting row knows nothing of its write but the values that would be inserted. The fresh ids rise with the places, so the id among
 * them says which write it is: what else a write says is read at that place.
 */
const location = `width_bucket(excluded.id, $3::uuid[])`;
/** Among texts, which have no fixed length, the search walks through half of them: a new row is found by its id. */
const writtenIndex = `CASE WHEN old.id IS NULL THEN width_bucket(known.id, $3::uuid[])
  ELSE width_bucket(known.project_id::text || known.email COLLATE "C", $1::text[]) END`;
const flags = `($5::int[])[${location}]`;
const removed = `coalesce(($9::text[])[${location}]::text[], '{}')`;
const subscribed = `CASE WHEN ${flags} & ${flag.keeps} <> 0 THEN known.subscribed ELSE excluded.subscribed END`;
const fields = `CASE WHEN ${flags} & ${flag.replaces} <> 0 THEN excluded.custom_fields
  ELSE (known.custom_fields || excluded.custom_fields) - ${removed} END`;

/** How many parameters `writesContacts` has. */
export const contactParameters = 17;

/**
 * Parts of a statement: contacts are made and changed, with all that follows of it. `told` has what landed, by the place of its write. Whoever is
 * there and meets `leftOut`, a condition on `known` and `asked`, is not even held.
 */
export const writesContacts = (leftOut = ''): string => `
  ${lockTimeout('$17')}, asked AS (
    SELECT * FROM unnest($1::text[], $2::uuid[], $3::uuid[], $4::text[], $5::int[], $6::text[], $7::timestamptz[], $8::int[])
      WITH ORDINALITY AS a (key, project_id, id, email, flags, fields, deadline, bunch, place)
    WHERE ${lockTimeoutIsSet}
  ), written AS (
    INSERT INTO contacts AS known (project_id, id, email, subscribed, custom_fields)
    SELECT project_id, id, email, flags & ${flag.subscribed} <> 0, fields::jsonb FROM asked
    WHERE (deadline IS NULL OR clock_timestamp() < deadline)
      AND (flags & ${flag.onlyKnown} = 0 OR EXISTS (SELECT 1 FROM contacts c WHERE c.project_id = asked.project_id AND c.email = asked.email))
      ${leftOut && `AND NOT EXISTS (SELECT 1 FROM contacts known WHERE known.project_id = asked.project_id AND known.email = asked.email AND ${leftOut})`}
    ORDER BY place
    ON CONFLICT (project_id, email) DO UPDATE
      SET subscribed = ${subscribed}, custom_fields = ${fields}, seq = known.seq + 1, updated_at = clock_timestamp()
      WHERE ${flags} & ${flag.onlyNew} = 0
        AND (known.subscribed <> ${subscribed} OR known.custom_fields <> ${fields})
        AND (${flags} & ${flag.ofAnySize} <> 0 OR octet_length((${fields})::text) <= ${maxCustomFields})
    RETURNING known.*, old.subscribed AS was_subscribed, old.custom_fields AS was_fields, old.seq AS was_seq,
      ${writtenIndex} AS place
  ), told AS (
    SELECT written.*, asked.bunch, CASE
        WHEN was_seq IS NULL THEN CASE WHEN asked.flags & ${flag.inBulk} = 0 THEN '${contactEvents.created.name}' END
        WHEN subscribed = was_subscribed THEN '${contactEvents.updated.name}'
        WHEN subscribed THEN '${contactEvents.subscribed.name}' ELSE '${contactEvents.unsubscribed.name}' END AS fact
    FROM written JOIN asked USING (place)
  ), origin AS (
    SELECT * FROM unnest($10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $16::text[])
      WITH ORDINALITY AS o (actor, address, user_agent, source, text, told_address, bunch)
  ), counted AS (
    INSERT INTO contact_count_deltas (project_id, total, subscribed)
    SELECT project_id, total, subscribed FROM (
      SELECT project_id, count(*) FILTER (WHERE was_seq IS NULL) AS total, sum(subscribed::int - coalesce(was_subscribed::int, 0)) AS subscribed
      FROM told GROUP BY project_id
    ) AS sums WHERE total <> 0 OR subscribed <> 0
  ), consent AS (
    ${recordsConsents('told JOIN origin USING (bunch) WHERE told.subscribed IS DISTINCT FROM told.was_subscribed')}
  ), ${marksDirty('told')}, fact AS (
    ${outboxInsert(
      {
        ...{ id: 'uuidv7()', projectId: 'project_id', fact: 'fact', items: 'items' },
        ...{ traces: '$15', actor: 'actor::jsonb', address: 'told_address' },
      },
      `FROM (
      SELECT project_id, fact, bunch, jsonb_agg(jsonb_build_object('contactId', id, 'email', email, 'subscribed', subscribed, 'seq', seq,
          'at', to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) ORDER BY place) AS items
      FROM told WHERE fact IS NOT NULL GROUP BY project_id, fact, bunch
    ) AS facts JOIN origin USING (bunch)`,
    )}
  )`;

const writeSql = `WITH ${writesContacts()}
  SELECT place, id, subscribed, custom_fields AS "customFields", seq, created_at AS "createdAt", updated_at AS "updatedAt",
    was_subscribed AS "wasSubscribed", was_fields AS "wasFields", was_seq AS "wasSeq" FROM told`;

/** One write an address, in their order. */
export function contactParametersOf(
  writes: readonly ContactWrite[],
  ofAnySize: boolean,
  timeouts: string | null,
): unknown[] {
  const ids = writes.map(() => newId()).sort();
  const { bunches: groups, origins } = bunched(writes);
  return [
    writes.map(keyOf),
    writes.map(({ projectId }) => projectId),
    ids,
    writes.map(({ email }) => email),
    writes.map((write) => flagsOf(write) | (ofAnySize ? flag.ofAnySize : 0)),
    writes.map(({ customFields = {} }) => JSON.stringify(withoutNulls(customFields))),
    writes.map(({ deadline = null }) => deadline),
    groups,
    writes.map(({ customFields }) => removedBy(customFields)),
    origins.map(({ actor }) => actor && JSON.stringify(actor)),
    origins.map(({ address }) => address),
    origins.map(({ userAgent }) => userAgent),
    origins.map(({ source }) => source),
    origins.map(({ text }) => text),
    currentTraces(),
    origins.map(({ publishedAddress: reportedAddress }) => reportedAddress),
    timeouts,
  ];
}

function flagsOf({
  subscribed: wanted,
  subscribedWhenNew = true,
  customFields,
  customFieldsMode,
  only,
  inBulk,
}: ContactWrite): number {
  return (
    ((wanted ?? subscribedWhenNew) ? flag.subscribed : 0) |
    (wanted === undefined ? flag.keeps : 0) |
    (customFields && customFieldsMode === 'REPLACE' ? flag.replaces : 0) |
    (only === 'NEW' ? flag.onlyNew : only === 'KNOWN' ? flag.onlyKnown : 0) |
    (inBulk ? flag.inBulk : 0)
  );
}

/** The names of the fields that a null removes, as an array in Postgres's own words; null where there are none. */
function removedBy(customFields: ContactWrite['customFields']): string | null {
  const names = Object.entries(customFields ?? {}).flatMap(([name, value]) => (value === null ? [name] : []));
  return names.length > 0
    ? `{${names.map((name) => `"${name.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
    : null;
}

/** What one event may tell together: writes of one origin, and no more than it may carry. */
function bunched(writes: readonly ContactWrite[]): { bunches: number[]; origins: WriteOrigin[] } {
  const origins: WriteOrigin[] = [];
  const open = new Map<string, { bunch: number; size: number }>();
  const groups = writes.map(({ origin }) => {
    const name = JSON.stringify(origin);
    let group = open.get(name);
    if (!group || group.size === maxEventItems)
      open.set(name, (group = { bunch: origins.push(origin), size: 0 }));
    group.size += 1;
    return group.bunch;
  });
  return { bunches: groups, origins };
}
