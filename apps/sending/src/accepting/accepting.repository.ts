import { emailEvents, type AcceptedEmails, type Mailbox, type Stream } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { EventRows } from '@posthorn/messaging';
import { lanes } from '../delivery/delivery.entity.js';
import { AttachmentsRepository } from '../emails/attachments.repository.js';
import type { StoredAttachment } from '../emails/email.entity.js';

/** One call ready to be stored: its sender is known, its rows have their ids. */
export interface AcceptRow {
  projectId: string;
  contentId: string;
  from: { email: string; name: string | null };
  subject: string;
  html: string;
  text: string | null;
  replyTo: object | null;
  headers: object | null;
  tags: string[];
  metadata: object;
  deadline: Date | null;
  recipients: { id: string; contactId: string | null; email: string; name: string | null }[];
  claim: { key: string; operation: string; bodyHash: string } | null;
  /** Where its request is recorded; null where it is not. */
  trace: string | null;
  /** What a plain send says nothing of. */
  more: MoreOfSend;
  /** The bytes of the attachments, in order. */
  files: Buffer[];
}

export interface MoreOfSend {
  category?: Stream;
  copies?: { to?: Mailbox[]; cc?: Mailbox[] };
  /** Who is sent a copy, seen or blind: one delivery each. */
  copyRecipients?: string[];
  scheduledAt?: Date;
  templateId?: string | null;
  templateVersion?: number | null;
  liquid?: true;
  /** The source of the subject, where it is rendered. */
  subject?: string;
  data?: object;
  snippets?: Record<string, string>;
  trackOpens: boolean;
  trackClicks: boolean;
  attachments?: StoredAttachment[];
}

/** What a key is looked up by. */
type KeyedRow = Pick<AcceptRow, 'projectId' | 'claim'>;

export interface KnownKey {
  bodyHash: string;
  /** What the first request was answered, without the instant. */
  receipt: object;
  at: Date;
}

interface KeyRow {
  place: number;
  body_hash: string;
  receipt: object;
  created_at: Date;
}

const keyHours = 24;
/** Attempts end this long after acceptance (docs/api-decisions.md §3). */
const attemptHours = 24;
const base64Growth = 1.37;

/** The statements of accepting mail: one for the whole gathered batch, one commit. */
export class AcceptingRepository {
  private readonly attachments: AttachmentsRepository;

  constructor(private readonly database: Database) {
    this.attachments = new AttachmentsRepository(database);
  }

  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.database.transaction(work);
  }

  /** The receipts of finished keys, by place. */
  async knownKeys(rows: KeyedRow[]): Promise<Map<number, KnownKey>> {
    const found = await this.database.query<KeyRow>(
      `SELECT asked.place, k.body_hash, k.receipt, k.created_at
       FROM unnest($1::int[], $2::uuid[], $3::text[], $4::text[]) AS asked (place, project_id, operation, key)
       JOIN idempotency_keys k USING (project_id, operation, key)
       WHERE k.created_at > now() - make_interval(hours => ${keyHours})`,
      keyColumns(rows),
    );
    return new Map(
      found.map(({ place: index, body_hash, receipt, created_at }) => [
        index,
        { bodyHash: body_hash, receipt, at: created_at },
      ]),
    );
  }

  /** Tries the lock of every key, until the end of the transaction; a key that another request holds is in flight. */
  async lockKeys(rows: KeyedRow[]): Promise<Set<number>> {
    const locked = await this.database.query<{ place: number }>(
      `SELECT place FROM (
         SELECT place, pg_try_advisory_xact_lock(hashtextextended(project_id || operation || key, 24)) AS locked
         FROM unnest($1::int[], $2::uuid[], $3::text[], $4::text[]) AS asked (place, project_id, operation, key)
       ) AS tried WHERE locked`,
      keyColumns(rows),
    );
    return new Set(locked.map(({ place: index }) => index));
  }

  async rememberKey(
    projectId: string,
    { key, operation, bodyHash }: NonNullable<AcceptRow['claim']>,
    receipt: object,
  ): Promise<void> {
    await this.database.query(
      `INSERT INTO idempotency_keys (project_id, operation, key, body_hash, receipt) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (project_id, operation, key) DO UPDATE SET body_hash = excluded.body_hash, receipt = excluded.receipt, created_at = now()`,
      [projectId, operation, key, bodyHash, JSON.stringify(receipt)],
    );
  }

  /** Stores what is before its deadline and not voided; answers the instant of acceptance by content id. */
  insert(rows: AcceptRow[]): Promise<Map<string, Date>> {
    const withFiles = rows.filter(({ files }) => files.length > 0);
    if (withFiles.length === 0) return this.insertEmails(rows);
    return this.transaction(async () => {
      const instants = await this.insertEmails(rows);
      for (const row of withFiles)
        if (instants.has(row.contentId))
          await this.attachments.insert(row.projectId, row.contentId, row.files);
      return instants;
    });
  }

  private async insertEmails(rows: AcceptRow[]): Promise<Map<string, Date>> {
    const traces = [
      rows.map(({ trace }) => trace),
      rows.flatMap(({ trace, recipients }) => recipients.map(() => trace)),
    ];
    const parameters = [
      ...callColumns(rows),
      ...recipientColumns(rows),
      ...traces,
      rows.map(({ more }) => JSON.stringify(more)),
    ];
    const inserted = await this.database.prepared<{ content_id: string; created_at: Date }>({
      name: 'accept',
      sql: insertSql,
      parameters,
    });
    return new Map(inserted.map(({ content_id, created_at }) => [content_id, created_at]));
  }

  /** Holds the ids against a late insert; answers how many were still free. */
  async void(projectId: string, ids: string[]): Promise<number> {
    const voided = await this.database.query(
      `INSERT INTO emails (project_id, id, content_id, from_email, to_email, subject, status)
       SELECT $1::uuid, id, id, '', '', '', 'VOIDED' FROM unnest($2::uuid[]) AS v (id) ORDER BY id
       ON CONFLICT DO NOTHING RETURNING id`,
      [projectId, ids],
    );
    return voided.length;
  }

  async accepted(
    projectId: string,
    ids: string[],
  ): Promise<{ id: string; to: string; from: string; contactId: string | null; acceptedAt: Date }[]> {
    return this.database.query(
      `SELECT id, to_email AS to, from_email AS "from", contact_id AS "contactId", created_at AS "acceptedAt"
       FROM emails WHERE project_id = $1 AND id = ANY($2::uuid[]) AND status <> 'VOIDED'`,
      [projectId, ids],
    );
  }

  async forgetOldKeys(): Promise<void> {
    await this.database.query(
      `DELETE FROM idempotency_keys WHERE created_at < now() - make_interval(hours => ${keyHours + 1})`,
    );
  }
}

// Rows are inserted in the order of their ids: two transactions on the same ids then wait for one another, never both.
const insertSql = `
  WITH call AS (
    SELECT * FROM unnest($1::int[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
                         $11::text[], $12::text[], $13::timestamptz[], $14::int[], $15::text[], $16::text[], $17::text[], $18::text[], $25::text[], $27::jsonb[])
      AS c (place, project_id, content_id, from_email, from_name, subject, html, text, reply_to, headers,
            tags, metadata, deadline, bytes, key, operation, body_hash, receipt, trace, more)
    WHERE deadline IS NULL OR now() < deadline
  ), recipient AS (
    SELECT * FROM unnest($19::int[], $20::uuid[], $21::uuid[], $22::text[], $23::text[], $24::uuid[], $26::text[]) AS r (place, id, contact_id, to_email, to_name, fact_id, trace)
  ), email AS (
    INSERT INTO emails (project_id, id, content_id, contact_id, from_email, from_name, to_email, to_name, subject, status, tags, metadata,
                        category, copies, template_id, scheduled_at)
    SELECT project_id, id, content_id, contact_id, from_email, from_name, to_email, to_name, subject, 'PENDING', tags::text[], metadata::jsonb,
           coalesce(more->>'category', 'TRANSACTIONAL'), more->'copies', (more->>'templateId')::uuid,
           CASE WHEN (more->>'scheduledAt')::timestamptz > now() THEN (more->>'scheduledAt')::timestamptz END
    FROM recipient JOIN call USING (place) ORDER BY id
    ON CONFLICT DO NOTHING
    RETURNING project_id, id, content_id, contact_id, from_email, to_email, source_type, created_at, category, coalesce(scheduled_at, created_at) AS due_at
  ), content AS (
    INSERT INTO email_contents (project_id, id, html, text, reply_to, headers, template_id, template_version, liquid, subject, data, snippets,
                                track_opens, track_clicks, attachments)
    SELECT project_id, content_id, html, text, reply_to::jsonb, headers::jsonb, (more->>'templateId')::uuid, (more->>'templateVersion')::int,
           more ? 'liquid', more->>'subject', more->'data', more->'snippets',
           (more->>'trackOpens')::boolean, (more->>'trackClicks')::boolean, more->'attachments'
    FROM call WHERE content_id IN (SELECT content_id FROM email)
  ), delivery AS (
    INSERT INTO deliveries (project_id, email_id, position, recipient, lane, state, due_at, expires_at, bytes, trace)
    SELECT email.project_id, email.id, whom.position, whom.recipient, CASE email.category WHEN 'MARKETING' THEN ${lanes.bulk} ELSE ${lanes.transactional} END,
           'QUEUED', email.due_at, email.due_at + make_interval(hours => ${attemptHours}), call.bytes, call.trace
    FROM email JOIN call USING (content_id), LATERAL (
      SELECT 0 AS position, email.to_email AS recipient
      UNION ALL SELECT ordinality, value FROM jsonb_array_elements_text(call.more->'copyRecipients') WITH ORDINALITY
      WHERE value <> email.to_email
    ) AS whom
  ), claim AS (
    INSERT INTO idempotency_keys (project_id, operation, key, body_hash, receipt)
    SELECT project_id, operation, key, body_hash, receipt::jsonb FROM call WHERE key IS NOT NULL AND content_id IN (SELECT content_id FROM email)
    ON CONFLICT (project_id, operation, key) DO UPDATE
      SET body_hash = excluded.body_hash, receipt = excluded.receipt, created_at = now()
  ), fact AS (
    INSERT INTO outbox (id, project_id, fact, items, traces)
    SELECT recipient.fact_id, email.project_id, '${emailEvents.accepted.name}', jsonb_agg(jsonb_build_object(
      'emailId', email.id, 'to', email.to_email, 'from', email.from_email, 'contactId', email.contact_id,
      'at', email.created_at, 'sourceType', email.source_type)), string_agg(DISTINCT recipient.trace, ',')
    FROM email JOIN recipient USING (id) GROUP BY recipient.fact_id, email.project_id
  )
  SELECT DISTINCT content_id, created_at FROM email`;

function callColumns(rows: AcceptRow[]): unknown[][] {
  return [
    rows.map((_, index) => index),
    rows.map(({ projectId }) => projectId),
    rows.map(({ contentId }) => contentId),
    rows.map(({ from }) => from.email),
    rows.map(({ from }) => from.name),
    rows.map(({ subject }) => subject),
    rows.map(({ html }) => html),
    rows.map(({ text }) => text),
    rows.map(({ replyTo }) => json(replyTo)),
    rows.map(({ headers }) => json(headers)),
    // The alphabet of tags needs no quotes in an array literal.
    rows.map(({ tags }) => `{${tags.join(',')}}`),
    rows.map(({ metadata }) => json(metadata)),
    rows.map(({ deadline }) => deadline),
    rows.map(bytesOf),
    rows.map(({ claim }) => claim?.key ?? null),
    rows.map(({ claim }) => claim?.operation ?? null),
    rows.map(({ claim }) => claim?.bodyHash ?? null),
    rows.map((row) => (row.claim ? JSON.stringify(receiptOf(row)) : null)),
  ];
}

function recipientColumns(rows: AcceptRow[]): unknown[][] {
  const all = rows.flatMap((row, index) =>
    row.recipients.map((recipient) => ({ ...recipient, place: index, projectId: row.projectId })),
  );
  const eventIds = eventIdsFor(all.map(({ projectId }) => projectId));
  return [
    all.map(({ place: index }) => index),
    all.map(({ id }) => id),
    all.map(({ contactId }) => contactId),
    all.map(({ email }) => email),
    all.map(({ name }) => name),
    eventIds,
  ];
}

/** Bytes of an item with the longest of addresses. */
const itemBytes = 2_000;

/** As few events as may carry the rows of one project. */
function eventIdsFor(projectIds: string[]): string[] {
  const events = new EventRows();
  return projectIds.map((projectId) => events.idFor(projectId, itemBytes));
}

/** What it takes to hold the message: files travel in base64. */
export const bytesOf = ({ html, text, files }: AcceptRow): number =>
  html.length +
  (text?.length ?? 0) +
  files.reduce((sum, { length }) => sum + Math.ceil(length * base64Growth), 0);

export function receiptOf({ recipients, from }: AcceptRow): Omit<AcceptedEmails, 'acceptedAt'> {
  return {
    emails: recipients.map(({ id, email, contactId }) => ({ id, to: email, from: from.email, contactId })),
  };
}

function keyColumns(rows: KeyedRow[]): unknown[][] {
  const keyed = rows.map((row, index) => ({ row, place: index })).filter(({ row }) => row.claim !== null);
  return [
    keyed.map(({ place: index }) => index),
    keyed.map(({ row }) => row.projectId),
    keyed.map(({ row }) => row.claim!.operation),
    keyed.map(({ row }) => row.claim!.key),
  ];
}

const json = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));
