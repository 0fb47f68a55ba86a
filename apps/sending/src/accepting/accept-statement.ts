import { emailEvents } from '@posthorn/contracts';
import type { Statement } from '@posthorn/database';
import { EventRows, outboxInsert } from '@posthorn/messaging';
import { lanes } from '../delivery/delivery.entity.js';
import { bytesOf, receiptOf, type AcceptRow } from './accept-row.js';

/** Attempts end this long after acceptance (docs/api-decisions.md §3). */
const attemptHours = 24;

/** Stores all rows with their deliveries, keys and events; answers the content ids that it stored. */
export function acceptStatement(rows: AcceptRow[]): Statement {
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
  return { name: 'accept', sql: insertSql, parameters };
}

const insertsAccepted = outboxInsert(
  {
    id: 'recipient.fact_id',
    projectId: 'email.project_id',
    fact: `'${emailEvents.accepted.name}'`,
    items: `jsonb_agg(jsonb_build_object('emailId', email.id, 'to', email.to_email, 'from', email.from_email,
      'contactId', email.contact_id, 'at', email.created_at, 'sourceType', email.source_type))`,
    traces: `string_agg(DISTINCT recipient.trace, ',')`,
  },
  'FROM email JOIN recipient USING (id) GROUP BY recipient.fact_id, email.project_id',
);

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
    ${insertsAccepted}
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
    row.recipients.map((recipient) => ({ ...recipient, index, projectId: row.projectId })),
  );
  const eventIds = eventIdsFor(all.map(({ projectId }) => projectId));
  return [
    all.map(({ index }) => index),
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

const json = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));
