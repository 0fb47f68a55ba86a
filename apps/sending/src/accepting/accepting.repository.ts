import { columnsOf, type Database, textArray, type Statement } from '@posthorn/database';
import { emailEvents } from '@posthorn/contracts';
import { OutboxRowPacker, outboxInsert } from '@posthorn/messaging';
import { AttachmentsRepository } from '../emails/attachments.repository.js';
import { type AcceptRow, bytesOf, acceptedEmailsOf } from './accept-row.js';
import { deliveryWindowHours, lanes } from '../delivery/delivery-states.js';
import { countedDestinationOf, storedDestinationSql } from '../pacing/destination.js';

type EmailToAccept = AcceptRow['emails'][number] & {
  sendIndex: number;
  outboxRowId: string;
  trace: string | null;
};

const sends = columnsOf<AcceptRow>([
  { column: 'send_index', type: 'int', value: (_, index) => index },
  { column: 'project_id', type: 'uuid', value: ({ projectId }) => projectId },
  { column: 'accepted_by', type: 'text', value: ({ actor }) => actor },
  { column: 'content_id', type: 'uuid', value: ({ contentId }) => contentId },
  { column: 'from_email', type: 'text', value: ({ from }) => from.email },
  { column: 'from_name', type: 'text', value: ({ from }) => from.name },
  { column: 'subject', type: 'text', value: ({ subject }) => subject },
  { column: 'html', type: 'text', value: ({ html }) => html },
  { column: 'text', type: 'text', value: ({ text }) => text },
  { column: 'reply_to', type: 'jsonb', value: ({ replyTo }) => json(replyTo) },
  { column: 'headers', type: 'jsonb', value: ({ headers }) => json(headers) },
  { column: 'tags', type: 'text', value: ({ tags }) => textArray(tags) },
  { column: 'metadata', type: 'jsonb', value: ({ metadata }) => json(metadata) },
  { column: 'deadline', type: 'timestamptz', value: ({ deadline }) => deadline },
  { column: 'bytes', type: 'int', value: bytesOf },
  { column: 'key', type: 'text', value: ({ idempotency }) => idempotency?.key },
  { column: 'operation', type: 'text', value: ({ idempotency }) => idempotency?.operation },
  { column: 'body_hash', type: 'text', value: ({ idempotency }) => idempotency?.bodyHash },
  { column: 'receipt', type: 'jsonb', value: (row) => row.idempotency && json(acceptedEmailsOf(row)) },
  { column: 'trace', type: 'text', value: ({ trace }) => trace },
  { column: 'options', type: 'jsonb', value: ({ options }) => json(options) },
]);

const emails = columnsOf<EmailToAccept>([
  { column: 'send_index', type: 'int', value: ({ sendIndex }) => sendIndex },
  { column: 'id', type: 'uuid', value: ({ id }) => id },
  { column: 'contact_id', type: 'uuid', value: ({ contactId }) => contactId },
  { column: 'to_email', type: 'text', value: ({ email }) => email },
  { column: 'to_name', type: 'text', value: ({ name }) => name },
  { column: 'destination', type: 'text', value: ({ email }) => countedDestinationOf(email) },
  { column: 'outbox_row_id', type: 'uuid', value: ({ outboxRowId }) => outboxRowId },
  { column: 'trace', type: 'text', value: ({ trace }) => trace },
]);

function acceptStatement(rows: AcceptRow[]): Statement {
  return {
    name: 'accept',
    sql: insertSql,
    parameters: [...sends.values(rows), ...emails.values(emailsOf(rows))],
  };
}

const insertsAccepted = outboxInsert(
  {
    id: 'email_to_accept.outbox_row_id',
    projectId: 'email.project_id',
    eventName: `'${emailEvents.accepted.name}'`,
    items: `jsonb_agg(jsonb_build_object('emailId', email.id, 'to', email.to_email, 'from', email.from_email,
      'contactId', email.contact_id, 'at', email.created_at, 'sourceType', email.source_type))`,
    traces: `string_agg(DISTINCT email_to_accept.trace, ',')`,
  },
  // A workflow repeats a send under the same id. Where both are in one commit, both join the one row of `email`; one that is past its deadline is not in `send`, and must not publish a second event.
  'FROM email JOIN email_to_accept USING (id) JOIN send USING (send_index) GROUP BY email_to_accept.outbox_row_id, email.project_id',
);

// Rows are inserted in the order of their ids: of two transactions with the same ids one waits, and there is no deadlock.
const insertSql = `
  WITH send AS (
    SELECT * FROM ${sends.unnest('s', 1)}
    WHERE deadline IS NULL OR now() < deadline
  ), email_to_accept AS (
    SELECT * FROM ${emails.unnest('e', sends.count + 1)}
  ), email AS (
    INSERT INTO emails (project_id, id, content_id, contact_id, from_email, from_name, to_email, to_name, subject, status, tags, metadata,
                        category, header_recipients, template_id, scheduled_at, accepted_by, source_type, destination)
    SELECT project_id, id, content_id, contact_id, from_email, from_name, to_email, to_name, subject, 'PENDING', tags::text[], metadata,
           coalesce(options->>'category', 'TRANSACTIONAL'), options->'headerRecipients', (options->>'templateId')::uuid,
           CASE WHEN (options->>'scheduledAt')::timestamptz > now() THEN (options->>'scheduledAt')::timestamptz END, accepted_by,
           coalesce(options->>'sourceType', 'TRANSACTIONAL'), ${storedDestinationSql('destination', 'to_email')}
    FROM email_to_accept JOIN send USING (send_index) ORDER BY id
    ON CONFLICT DO NOTHING
    RETURNING project_id, id, content_id, contact_id, from_email, to_email, source_type, created_at, category, coalesce(scheduled_at, created_at) AS due_at
  ), content AS (
    INSERT INTO email_contents (project_id, id, html, text, reply_to, headers, template_id, template_version, liquid, subject, from_name, data, snippets,
                                track_opens, track_clicks, attachments)
    SELECT project_id, content_id, html, text, reply_to, headers, (options->>'templateId')::uuid, (options->>'templateVersion')::int,
           options ? 'liquid', options->>'subjectTemplate', options->>'fromNameTemplate', options->'data', options->'snippetVersions',
           (options->>'trackOpens')::boolean, (options->>'trackClicks')::boolean, options->'attachments'
    FROM send WHERE content_id IN (SELECT content_id FROM email)
  ), delivery AS (
    INSERT INTO deliveries (project_id, email_id, position, recipient, lane, state, due_at, expires_at, bytes, trace)
    SELECT email.project_id, email.id, target.position, target.recipient, CASE email.category WHEN 'MARKETING' THEN ${lanes.bulk} ELSE ${lanes.transactional} END,
           'QUEUED', email.due_at, email.due_at + make_interval(hours => ${deliveryWindowHours}), send.bytes, send.trace
    FROM email JOIN send USING (content_id), LATERAL (
      SELECT 0 AS position, email.to_email AS recipient
      UNION ALL SELECT ordinality, value FROM jsonb_array_elements_text(send.options->'additionalRecipients') WITH ORDINALITY
      WHERE value <> email.to_email
    ) AS target
  ), stored_key AS (
    INSERT INTO idempotency_keys (project_id, operation, key, body_hash, receipt)
    SELECT project_id, operation, key, body_hash, receipt FROM send WHERE key IS NOT NULL AND content_id IN (SELECT content_id FROM email)
    ON CONFLICT (project_id, operation, key) DO UPDATE
      SET body_hash = excluded.body_hash, receipt = excluded.receipt, created_at = now()
  ), event AS (
    ${insertsAccepted}
  )
  SELECT DISTINCT content_id, created_at FROM email`;

const assumedItemBytes = 2_000;

function emailsOf(rows: AcceptRow[]): EmailToAccept[] {
  const events = new OutboxRowPacker();
  return rows.flatMap(({ projectId, trace, emails: each }, sendIndex) =>
    each.map((email) => ({
      ...email,
      sendIndex,
      trace,
      outboxRowId: events.rowIdFor(projectId, assumedItemBytes),
    })),
  );
}

const json = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

type KeyedRow = Pick<AcceptRow, 'projectId' | 'idempotency'>;

export interface KnownKey {
  bodyHash: string;
  receipt: object;
  at: Date;
}

interface IndexedKey extends KeyedRow {
  index: number;
}

const keys = columnsOf<IndexedKey>([
  { column: 'row_index', type: 'int', value: ({ index }) => index },
  { column: 'project_id', type: 'uuid', value: ({ projectId }) => projectId },
  { column: 'operation', type: 'text', value: ({ idempotency }) => idempotency!.operation },
  { column: 'key', type: 'text', value: ({ idempotency }) => idempotency!.key },
]);

const keyHours = 24;
const idempotencyLockSeed = 24;

export class AcceptingRepository {
  private readonly attachments: AttachmentsRepository;

  constructor(private readonly database: Database) {
    this.attachments = new AttachmentsRepository(database);
  }

  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.database.transaction(work);
  }

  async knownKeys(rows: KeyedRow[]): Promise<Map<number, KnownKey>> {
    const found = await this.database.query<KnownKey & { index: number }>(
      `SELECT requested.row_index AS index, k.body_hash AS "bodyHash", k.receipt, k.created_at AS at
       FROM ${keys.unnest('requested', 1)}
       JOIN idempotency_keys k USING (project_id, operation, key)
       WHERE k.created_at > now() - make_interval(hours => ${keyHours})`,
      keys.values(keyed(rows)),
    );
    return new Map(found.map(({ index, ...key }) => [index, key]));
  }

  /** Locks last until the end of the transaction. A key that cannot be locked belongs to a request in flight. */
  async lockKeys(rows: KeyedRow[]): Promise<Set<number>> {
    const locked = await this.database.query<{ index: number }>(
      `SELECT row_index AS index FROM (
         SELECT row_index, pg_try_advisory_xact_lock(hashtextextended(project_id || operation || key, ${idempotencyLockSeed})) AS locked
         FROM ${keys.unnest('requested', 1)}
       ) AS tried WHERE locked`,
      keys.values(keyed(rows)),
    );
    return new Set(locked.map(({ index }) => index));
  }

  async rememberKey(
    projectId: string,
    { key, operation, bodyHash }: NonNullable<AcceptRow['idempotency']>,
    receipt: object,
  ): Promise<void> {
    await this.database.query(
      `INSERT INTO idempotency_keys (project_id, operation, key, body_hash, receipt) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (project_id, operation, key) DO UPDATE SET body_hash = excluded.body_hash, receipt = excluded.receipt, created_at = now()`,
      [projectId, operation, key, bodyHash, JSON.stringify(receipt)],
    );
  }

  /** Stores rows whose deadline has not passed and whose ids are not voided; returns the time of acceptance by content id. */
  insert(rows: AcceptRow[]): Promise<Map<string, Date>> {
    const withFiles = rows.filter(({ files }) => files.length > 0);
    if (withFiles.length === 0) return this.insertEmails(rows);
    return this.transaction(async () => {
      const acceptedAt = await this.insertEmails(rows);
      for (const row of withFiles)
        if (acceptedAt.has(row.contentId))
          await this.attachments.insert(row.projectId, row.contentId, row.files);
      return acceptedAt;
    });
  }

  private async insertEmails(rows: AcceptRow[]): Promise<Map<string, Date>> {
    const inserted = await this.database.prepared<{ content_id: string; created_at: Date }>(
      acceptStatement(rows),
    );
    return new Map(inserted.map(({ content_id, created_at }) => [content_id, created_at]));
  }

  /** Writes tombstones, so that a late insert of these ids conflicts; returns how many ids were still free. */
  async voidIds(projectId: string, ids: string[]): Promise<number> {
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

  async deleteOldKeys(): Promise<void> {
    await this.database.query(
      `DELETE FROM idempotency_keys WHERE created_at < now() - make_interval(hours => ${keyHours + 1})`,
    );
  }
}

const keyed = (rows: KeyedRow[]): IndexedKey[] =>
  rows.map((row, index) => ({ ...row, index })).filter(({ idempotency }) => idempotency !== null);
