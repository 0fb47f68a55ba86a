import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceName } from '@posthorn/contracts';
import { services, type Records } from '../judging/records.js';
import type { Published } from './audience-client.js';
import { erasureEvent, markOf, removedText, sqlOf, type Condition } from './operations.js';

const counted = (table: string, columns: string, by = '1') =>
  `SELECT ${columns} FROM ${table} WHERE project_id = $1 GROUP BY ${by}`;

/** A count with its unfolded changes on the left, the rows that it counts on the right: `key` and `n` each. */
const countComparisons: Readonly<Record<string, [kept: string, counted: string]>> = {
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
      'memberships',
      `list_id::text AS key, concat_ws(' ', count(*) FILTER (WHERE status = 'PENDING'), count(*) FILTER (WHERE status = 'CONFIRMED'), count(*) FILTER (WHERE status = 'UNSUBSCRIBED')) AS n`,
    ),
  ],
  'members of a segment': [
    `SELECT segment_id::text AS key, sum(total)::text AS n FROM (SELECT project_id, segment_id, total FROM segment_counts
       UNION ALL SELECT project_id, segment_id, total FROM segment_count_deltas) AS p WHERE project_id = $1 GROUP BY 1 HAVING sum(total) <> 0`,
    counted('segment_members', 'segment_id::text AS key, count(*)::text AS n'),
  ],
  'events by name': [
    `SELECT name AS key, sum(count)::text AS n FROM (SELECT project_id, name, count FROM event_names
       UNION ALL SELECT project_id, name, count FROM event_count_deltas) AS p WHERE project_id = $1 AND name <> '${erasureEvent}' GROUP BY 1`,
    counted('events', 'name AS key, count(*)::text AS n'),
  ],
  'events by day': [
    `SELECT name || ' ' || day AS key, sum(count)::text AS n FROM (SELECT project_id, name, day, count FROM event_days
       UNION ALL SELECT project_id, name, day, count FROM event_count_deltas) AS p WHERE project_id = $1 AND name <> '${erasureEvent}' GROUP BY 1`,
    counted('events', `name || ' ' || (occurred_at AT TIME ZONE 'UTC')::date AS key, count(*)::text AS n`),
  ],
  'summaries of events': [
    `SELECT contact_id || ' ' || name AS key, count || ' ' || first_at || ' ' || last_at AS n FROM event_summaries WHERE project_id = $1`,
    counted(
      'events',
      `contact_id || ' ' || name AS key, count(*) || ' ' || min(occurred_at) || ' ' || max(occurred_at) AS n`,
      'contact_id, name',
    ),
  ],
};

/** What differs: the same thing, as it is kept and as it is counted anew. */
export interface Difference {
  what: string;
  kept: string;
  counted: string;
}

export interface ImportRow {
  id: string;
  status: string;
  processed: number;
  created: number;
  updated: number;
  skipped: number;
  failed: number;
}

/** Entries and exits of one contact in one segment, in order, as they are kept and as they were told. */
export interface Transition {
  contactId: string;
  segmentId: string;
  kept: string[];
  told: string[];
  isMember: boolean;
}

/** Tables that say something of contacts, and must say nothing of those who are gone. */
const ofContacts = [
  'memberships',
  'segment_members',
  'segment_due',
  'contact_history',
  'events',
  'event_summaries',
  'mail_summaries',
];

/** How many models are held against what they follow from, and how many tables against the contacts. */
export const checked = { models: Object.keys(countComparisons).length + 1, tables: ofContacts.length };

/** What contacts has written down, held against its own rows and those of sending. */
export class AudienceRecords {
  constructor(
    private readonly records: Records,
    private readonly projectId: string,
  ) {}

  async differences(): Promise<Difference[]> {
    return [...(await this.countDifferences()), ...(await this.mailDifferences())];
  }

  /** Without the summaries of mail. */
  async countDifferences(): Promise<Difference[]> {
    const found = await Promise.all(
      Object.entries(countComparisons).map(async ([what, [stored, rows]]) => {
        const differing = await this.query<{ key: string; kept: string | null; counted: string | null }>(
          `SELECT key, k.n AS kept, c.n AS counted FROM (${stored}) AS k FULL JOIN (${rows}) AS c USING (key) WHERE k.n IS DISTINCT FROM c.n LIMIT 50`,
        );
        return differing.map(({ key, kept: is, counted: should }) => ({
          what: `${what} ${key}`,
          kept: is ?? '-',
          counted: should ?? '-',
        }));
      }),
    );
    return found.flat();
  }

  /** Mail by its reader, from the tables of sending. */
  async mailDifferences(): Promise<Difference[]> {
    const kinds = ['sent', 'delivered', 'bounced'].map(
      (kind) =>
        `SELECT to_email, '${kind}' AS kind, ${kind}_at AS at FROM emails WHERE project_id = $1 AND status <> 'VOIDED' AND ${kind}_at IS NOT NULL`,
    );
    const summed = 'count(*) AS count, min(at)::timestamptz(3) AS first, max(at)::timestamptz(3) AS last';
    const should = await this.records.query<MailSum>(
      'sending',
      `SELECT to_email AS email, kind, ${summed} FROM (${kinds.join(' UNION ALL ')}) AS m GROUP BY 1, 2`,
      [this.projectId],
    );
    const is = await this.query<MailSum>(
      `SELECT c.email, s.kind, s.count, s.first_at AS first, s.last_at AS last
       FROM mail_summaries s JOIN contacts c ON c.project_id = s.project_id AND c.id = s.contact_id WHERE s.project_id = $1`,
    );
    return mailDifferencesOf(is, should);
  }

  /** Where the members of a segment are others than its condition finds. */
  async strayMembers(): Promise<Difference[]> {
    const segments = await this.query<{ id: string; name: string; condition: Condition }>(
      `SELECT id, name, condition FROM segments WHERE project_id = $1 AND type = 'DYNAMIC'`,
    );
    const found = await Promise.all(
      segments.map(async ({ id, name, condition }) => {
        const [row] = await this.query<{ missing: string; extra: string }>(
          `WITH wanted AS (SELECT c.id FROM contacts c WHERE c.project_id = $1 AND ${sqlOf(condition)}),
                kept AS (SELECT contact_id AS id FROM segment_members WHERE project_id = $1 AND segment_id = '${id}')
           SELECT (SELECT count(*) FROM (TABLE wanted EXCEPT TABLE kept) AS m) AS missing, (SELECT count(*) FROM (TABLE kept EXCEPT TABLE wanted) AS e) AS extra`,
        );
        const { missing, extra } = row!;
        return Number(missing) + Number(extra) === 0
          ? []
          : [{ what: `segment ${name}`, kept: `${extra} too many`, counted: `${missing} missing` }];
      }),
    );
    return found.flat();
  }

  /** Rows of contacts that are gone. */
  async remains(): Promise<Difference[]> {
    const found = await Promise.all(
      ofContacts.map(async (table) => {
        const [row] = await this.query<{ count: string }>(
          `SELECT count(*) FROM ${table} t WHERE project_id = $1 AND NOT EXISTS (SELECT 1 FROM contacts c WHERE c.project_id = t.project_id AND c.id = t.contact_id)`,
        );
        return { what: `${table} of contacts that are gone`, kept: row!.count, counted: '0' };
      }),
    );
    return found.filter(({ kept: stored }) => Number(stored) > 0);
  }

  /** Of contacts that are there. */
  transitions(): Promise<Transition[]> {
    return this.query<Transition>(
      `WITH kept AS (
         SELECT contact_id, subject_id AS segment_id, array_agg(split_part(kind, '.', 2) ORDER BY id) AS kinds FROM contact_history
         WHERE project_id = $1 AND kind LIKE 'segment.%' GROUP BY 1, 2
       ), told AS (
         SELECT (item ->> 'contactId')::uuid AS contact_id, (item ->> 'segmentId')::uuid AS segment_id, array_agg(replace(split_part(event_name, '.', 3), 'left', 'exited') ORDER BY item ->> 'at', o.id) AS kinds
         FROM outbox o CROSS JOIN LATERAL jsonb_array_elements(items) AS item WHERE project_id = $1 AND event_name LIKE 'contacts.segment.%' GROUP BY 1, 2
       )
       SELECT contact_id AS "contactId", segment_id AS "segmentId", coalesce(kept.kinds, '{}') AS kept, coalesce(told.kinds, '{}') AS told,
              EXISTS (SELECT 1 FROM segment_members m WHERE m.project_id = $1 AND m.contact_id = c.id AND m.segment_id = places.segment_id) AS "isMember"
       FROM (SELECT contact_id, segment_id FROM kept UNION SELECT contact_id, segment_id FROM told UNION
             SELECT contact_id, segment_id FROM segment_members WHERE project_id = $1) AS places
       JOIN contacts c ON c.project_id = $1 AND c.id = contact_id
       LEFT JOIN kept USING (contact_id, segment_id) LEFT JOIN told USING (contact_id, segment_id)`,
    );
  }

  imports(): Promise<ImportRow[]> {
    return this.query<ImportRow>(
      `SELECT id, status, processed::int, created::int, updated::int, skipped::int, failed::int FROM imports WHERE project_id = $1`,
    );
  }

  /** Those of the asked fields that no contact has: one statement for all. */
  async lostFields(fields: Published['fields']): Promise<string[]> {
    const rows = await this.query<{ email: string; field: string }>(
      `SELECT a.email, a.field FROM unnest($2::text[], $3::text[]) AS a (email, field)
       LEFT JOIN contacts c ON c.project_id = $1 AND c.email = a.email WHERE c.id IS NULL OR NOT c.custom_fields ? a.field`,
      [fields.map(({ email }) => email), fields.map(({ field }) => field)],
    );
    return rows.map(({ email, field }) => `${email} has no ${field}`);
  }

  /** How many rows of a table are contacts with its mark. */
  async markedBy(marker: string): Promise<number> {
    const [row] = await this.query<{ count: string }>(
      `SELECT count(*) FROM contacts WHERE project_id = $1 AND custom_fields ? $2`,
      [marker],
    );
    return Number(row!.count);
  }

  /** By place, how often its event was recorded. */
  async events(positions: readonly number[]): Promise<Map<number, number>> {
    const rows = await this.query<{ place: number; count: number }>(
      `SELECT p.place, count(e.id)::int AS count FROM unnest($2::int[]) AS p (place)
       JOIN events e ON e.project_id = $1 AND e.payload ? ('${markOf(0).slice(0, 1)}' || p.place) GROUP BY p.place`,
      [positions],
    );
    return new Map(rows.map(({ place: index, count }) => [index, count]));
  }

  async memberships(): Promise<Map<string, string>> {
    const rows = await this.query<{ key: string; status: string }>(
      `SELECT m.list_id || ' ' || c.email AS key, m.status FROM memberships m JOIN contacts c ON c.project_id = m.project_id AND c.id = m.contact_id WHERE m.project_id = $1`,
    );
    return new Map(rows.map(({ key, status }) => [key, status]));
  }

  async contactIds(): Promise<Set<string>> {
    return new Set(
      (await this.query<{ id: string }>(`SELECT id FROM contacts WHERE project_id = $1`)).map(({ id }) => id),
    );
  }

  /** How often each reader's mail was delivered, as sending has it. */
  async delivered(): Promise<number> {
    const [row] = await this.records.query<{ count: string }>(
      'sending',
      `SELECT count(*) FROM emails WHERE project_id = $1 AND status = 'DELIVERED'`,
      [this.projectId],
    );
    return Number(row!.count);
  }

  /** What is left to be done; each is 0 in the end. */
  async unfinished(): Promise<Record<string, number>> {
    const [row] = await this.query<Record<string, number>>(
      `SELECT (SELECT count(*)::int FROM imports WHERE finished_at IS NULL) AS imports,
              (SELECT count(*)::int FROM segment_dirty) AS dirty,
              (SELECT count(*)::int FROM work_items WHERE kind = 'contacts.deleted-lists') AS "goingLists",
              (SELECT count(*)::int FROM erasures WHERE completed_at IS NULL) AS erasures,
              (SELECT count(*)::int FROM segment_due WHERE due_at < now() + interval '1 hour') AS due
       WHERE $1::uuid IS NOT NULL`,
    );
    const [mail] = await this.records.query<{ mail: number }>(
      'sending',
      `SELECT count(*)::int AS mail FROM deliveries WHERE state IN ('QUEUED', 'HELD', 'CLAIMED', 'HANDOFF', 'AMBIGUOUS')`,
    );
    const differing = await this.mailDifferences();
    return { ...row!, ...mail!, outbox: await this.records.unpublished(), summaries: differing.length };
  }

  private query<Row extends object>(sql: string, more: unknown[] = []): Promise<Row[]> {
    return this.records.query<Row>('contacts', sql, [this.projectId, ...more]);
  }
}

export interface MailSum {
  email: string;
  kind: string;
  count: string | number;
  first: Date;
  last: Date;
}

/** Sending rounds the instants that it keeps, and its events cut them. */
const roundedMs = 1;

export function mailDifferencesOf(stored: readonly MailSum[], counted: readonly MailSum[]): Difference[] {
  const [is, should] = [byReader(stored), byReader(counted)];
  return [...new Set([...is.keys(), ...should.keys()])]
    .filter((key) => !isSame(is.get(key), should.get(key)))
    .map((key) => ({
      what: `summary of mail ${key}`,
      kept: lineOf(is.get(key)),
      counted: lineOf(should.get(key)),
    }));
}

const byReader = (sums: readonly MailSum[]) => new Map(sums.map((sum) => [`${sum.email} ${sum.kind}`, sum]));

function isSame(one?: MailSum, other?: MailSum): boolean {
  if (!one || !other) return false;
  const near = (a: Date, b: Date) => Math.abs(a.getTime() - b.getTime()) <= roundedMs;
  return (
    Number(one.count) === Number(other.count) && near(one.first, other.first) && near(one.last, other.last)
  );
}

const lineOf = (sum?: MailSum): string =>
  sum ? `${sum.count} ${sum.first.toISOString()} ${sum.last.toISOString()}` : '-';

/** Where somebody who was deleted is still known, after every erasure has been reported complete. */
export async function remembered(
  records: Records,
  projectId: string,
  removed: number,
  natsDirectory: string,
): Promise<Difference[]> {
  const tables = await Promise.all(services.map((service) => tablesHolding(records, service)));
  const files = readdirSync(natsDirectory, { recursive: true, withFileTypes: true }).filter(
    (entry) =>
      entry.isFile() &&
      new RegExp(removedText).test(readFileSync(join(entry.parentPath, entry.name), 'latin1')),
  );
  const positions = [...tables.flat(), ...(files.length > 0 ? [`${files.length} files of NATS`] : [])];
  return [
    ...positions.map((location) => ({
      what: `addresses of people who are gone in ${location}`,
      kept: 'some',
      counted: 'none',
    })),
    ...(await reports(records, projectId, removed)),
  ];
}

/** Each has a report, and nothing sealed in it; what they did stays in the statistics. */
async function reports(records: Records, projectId: string, removed: number): Promise<Difference[]> {
  const [row] = await records.query<{ complete: string; counted: string }>(
    'contacts',
    `SELECT (SELECT count(*) FROM erasures WHERE project_id = $1 AND completed_at IS NOT NULL AND sealed IS NULL) AS complete,
            (SELECT coalesce(sum(count), 0) FROM (SELECT count FROM event_names WHERE project_id = $1 AND name = '${erasureEvent}'
              UNION ALL SELECT count FROM event_count_deltas WHERE project_id = $1 AND name = '${erasureEvent}') AS parts) AS counted`,
    [projectId],
  );
  const found = { 'reports of erasures': row!.complete, 'events of people who are gone': row!.counted };
  return Object.entries(found).flatMap(([what, kept]) =>
    Number(kept) === removed ? [] : [{ what, kept, counted: String(removed) }],
  );
}

async function tablesHolding(records: Records, service: ServiceName): Promise<string[]> {
  const tables = await records.query<{ name: string }>(
    service,
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const holding: string[] = [];
  for (const { name } of tables) {
    const found = await records.query(
      service,
      `SELECT 1 FROM ${name} AS content WHERE to_jsonb(content)::text ~ $1 LIMIT 1`,
      [removedText],
    );
    if (found.length > 0) holding.push(`${service}'s ${name}`);
  }
  return holding;
}
