import {
  suppressionEvents,
  type EmailStatus,
  type ProviderEvent,
  type SuppressionReason,
} from '@posthorn/contracts';
import { columnsOf, type Column, type Database, type Statement } from '@posthorn/database';
import { packedOutboxInsert } from '@posthorn/messaging';
import { copyEventDetailsOf, emailEventDetails } from '../emails/email-event-details.js';
import { isErasedSql } from '../erasures/erased-names.js';
import { addressLockKeySql } from '../suppressions/suppressions.repository.js';
import {
  bitsOfKind,
  copyEventOfBit,
  eventOfBit,
  failureKindOfBits,
  reportedBits,
  stateOfBits,
  statusOfBits,
  type ReportedKind,
} from './reported.js';

export interface Report extends ProviderEvent {
  kind: ReportedKind;
  /** Derived from the provider's id, so that a repeated report finds its own row. */
  historyId: string;
  /** The address is suppressed for this reason; null where the report does not say that it is dead. */
  suppression: SuppressionReason | null;
}

export interface LocatedEmail {
  emailId: string;
  projectId: string;
  position: number;
}

export interface RecordedReports {
  recorded: number[];
  settled: number;
}

/** Of one recipient; further ones are stored only if they say something new. */
const maxReports = 500;

// The delivery's row is locked first, so that reports and our own final write about one message follow each
// other; the address too where it may become suppressed (docs/guarantees.md G8).
export class ProviderEventsRepository {
  constructor(private readonly database: Database) {}

  async record(reports: Report[]): Promise<RecordedReports> {
    const [, rows] = await this.database.transactionInOneWrite([lock(reports), apply(reports)]);
    return (rows as RecordedReports[])[0]!;
  }

  locate(reports: Location[]): Promise<(LocatedEmail & { index: number })[]> {
    return this.database.query(
      `WITH requested AS (SELECT * FROM ${located.unnest('r', 1)}), ${foundSql}
       SELECT row_index AS index, project_id AS "projectId", email_id AS "emailId", position FROM found ORDER BY row_index`,
      located.values(reports),
    );
  }
}

type Location = Pick<ProviderEvent, 'emailId' | 'position' | 'recipient'>;

const locationColumns: readonly Column<Location>[] = [
  { column: 'row_index', type: 'int', value: (_, index) => index },
  { column: 'email_id', type: 'uuid', value: ({ emailId }) => emailId },
  { column: 'position', type: 'smallint', value: ({ position }) => position },
  { column: 'recipient', type: 'text', value: ({ recipient }) => recipient },
];
const located = columnsOf(locationColumns);

const historyStatus: Record<ReportedKind, EmailStatus> = {
  SENT: 'SENT',
  DELAYED: 'DELIVERY_DELAY',
  SOFT_BOUNCED: 'FAILED',
  DELIVERED: 'DELIVERED',
  REJECTED: 'REJECTED',
  BOUNCED: 'BOUNCED',
  // A complaint says nothing else about the delivery; somebody must have received the message.
  COMPLAINED: 'DELIVERED',
};

const columns = columnsOf<Report>([
  ...locationColumns,
  { column: 'history_id', type: 'uuid', value: ({ historyId }) => historyId },
  { column: 'kind', type: 'text', value: ({ kind }) => kind },
  { column: 'history_status', type: 'text', value: ({ kind }) => historyStatus[kind] },
  { column: 'bits', type: 'smallint', value: ({ kind }) => bitsOfKind(kind) },
  { column: 'source', type: 'text', value: ({ source }) => source },
  { column: 'reported_at', type: 'timestamptz', value: ({ at }) => at },
  { column: 'suppression', type: 'text', value: ({ suppression }) => suppression },
  { column: 'detail', type: 'text', value: ({ detail }) => detail },
  { column: 'host', type: 'text', value: ({ host }) => host },
  { column: 'reply_code', type: 'smallint', value: ({ replyCode }) => replyCode },
  { column: 'message_id', type: 'text', value: ({ providerMessageId }) => providerMessageId },
]);

/** What is known of e-mails from before their deliveries had bits. */
const timestampBits = (['SENT', 'DELIVERED', 'BOUNCED', 'COMPLAINED'] as const)
  .map((kind) => `CASE WHEN e.${kind.toLowerCase()}_at IS NULL THEN 0 ELSE ${reportedBits[kind]} END`)
  .join(' | ');

/** A report about a message that no worker has ever claimed is about something else. */
const foundSql = `found AS MATERIALIZED (
    SELECT r.row_index, e.project_id, r.email_id, target.position, target.recipient AS address, target.state, e.created_at,
      target.reported_bits | CASE WHEN target.state = 'SENT' THEN ${reportedBits.SENT} ELSE 0 END | CASE WHEN target.position > 0 THEN 0 ELSE
        ${timestampBits} END AS before,
      -- A copy that the previous release sent: that was not published, so neither is what follows, lest it count alone.
      target.position > 0 AND target.state = 'SENT' AND target.reported_bits & ${reportedBits.SENT} = 0 AS is_unpublished
    FROM requested r
    JOIN emails e ON e.id = r.email_id AND e.status <> 'VOIDED'
    JOIN LATERAL (
      SELECT d.position, d.recipient, d.state, d.reported_bits FROM deliveries d
      WHERE d.project_id = e.project_id AND d.email_id = e.id AND d.lease_token > 0 AND d.state <> 'CANCELLED'
        AND CASE
          -- The previous release gave copies the return path of their main recipient.
          WHEN r.position IS NOT NULL THEN d.position = r.position OR (r.position = 0 AND d.recipient = r.recipient)
          WHEN r.recipient IS NULL OR d.recipient = r.recipient THEN r.recipient IS NOT NULL OR d.position = 0
          -- Forwarded, or erased since.
          ELSE d.position = 0 AND NOT EXISTS (SELECT FROM deliveries o WHERE o.project_id = e.project_id AND o.email_id = e.id AND o.position > 0)
        END
      ORDER BY d.recipient = r.recipient DESC NULLS LAST, d.position LIMIT 1
    ) AS target ON true
  )`;

function lock(reports: Report[]): Statement {
  return {
    name: 'lock-reported',
    sql: `WITH requested AS (SELECT * FROM ${located.unnest('r', 1)}), ${foundSql}, address AS MATERIALIZED (
        -- In the order in which marks and final writes take their locks.
        SELECT pg_advisory_xact_lock(${addressLockKeySql}) FROM (
          SELECT DISTINCT project_id, address AS email FROM found WHERE ($5::boolean[])[row_index + 1] ORDER BY project_id, email
        ) AS addresses
      ), delivery AS MATERIALIZED (
        SELECT 1 FROM (
          SELECT DISTINCT project_id, email_id, position FROM found WHERE (SELECT count(*) FROM address) IS NOT NULL ORDER BY project_id, email_id, position
        ) AS f, LATERAL (
          SELECT FROM deliveries d WHERE d.project_id = f.project_id AND d.email_id = f.email_id AND d.position = f.position FOR UPDATE
        ) AS locked
      )
      SELECT count(*) FROM delivery`,
    parameters: [...located.values(reports), reports.map(({ suppression }) => suppression !== null)],
  };
}

function apply(reports: Report[]): Statement {
  return { name: 'record-provider-events', sql: applySql, parameters: columns.values(reports) };
}

const firstOf = (kind: ReportedKind): string =>
  `min(occurred_at) FILTER (WHERE bits & ${reportedBits[kind]} <> 0 AND before & ${reportedBits[kind]} = 0)`;

const valuesOf = (events: typeof eventOfBit): string =>
  `VALUES ${events.map(([bit, name]) => `(${bit}, '${name}')`).join(', ')}`;

/** The code, too, where the text does not begin with it. */
const diagnostic = `CASE WHEN starts_with(detail, reply_code::text) THEN detail ELSE nullif(concat_ws(' ', reply_code, detail), '') END`;

const publishesEmailEvents = packedOutboxInsert(`
  SELECT project_id, name, NULL::text AS trace, row_number() OVER (ORDER BY occurred_at, history_id, bit) AS row_index,
    details || jsonb_build_object('at', occurred_at) || CASE bit
      WHEN ${reportedBits.BOUNCED} THEN jsonb_build_object('bounceType', 'Permanent', 'reason', detail, 'diagnostic', ${diagnostic})
      WHEN ${reportedBits.SOFT_BOUNCED} THEN jsonb_build_object('bounceType', 'Transient', 'reason', detail, 'diagnostic', ${diagnostic})
      WHEN ${reportedBits.DELAYED} THEN jsonb_build_object('reason', detail)
      WHEN ${reportedBits.REJECTED} THEN jsonb_build_object('failureKind', 'provider_rejected', 'reason', detail)
      ELSE '{}' END AS item
  FROM (
    SELECT DISTINCT ON (n.email_id, event.bit) n.*, event.bit, event.name, u.details
    FROM new n JOIN updated_email u USING (email_id)
    JOIN (${valuesOf(eventOfBit)}) AS event (bit, name) ON n.bits & event.bit <> 0 AND n.before & event.bit = 0
    WHERE n.position = 0
      -- Our own conclusion that it failed was published already.
      AND NOT (event.bit = ${reportedBits.REJECTED} AND u.was = 'FAILED' AND n.before & ${reportedBits.SOFT_BOUNCED} = 0)
    ORDER BY n.email_id, event.bit, n.occurred_at, n.history_id
  ) AS first_report`);

const publishesCopyEvents = packedOutboxInsert(`
  SELECT project_id, name, NULL::text AS trace, row_number() OVER (ORDER BY occurred_at, history_id, bit) AS row_index,
    details || jsonb_build_object('to', address, 'at', occurred_at) AS item
  FROM (
    SELECT DISTINCT ON (n.email_id, n.position, event.bit) n.*, event.bit, event.name, e.details
    FROM new n JOIN (${valuesOf(copyEventOfBit)}) AS event (bit, name) ON n.bits & event.bit <> 0 AND n.before & event.bit = 0,
      LATERAL (${copyEventDetailsOf('n')}) AS e
    WHERE n.position > 0 AND NOT n.is_unpublished AND NOT (event.bit = ${reportedBits.SENT} AND n.before & ${reportedBits.BOUNCED} <> 0)
    ORDER BY n.email_id, n.position, event.bit, n.occurred_at, n.history_id
  ) AS first_report`);

const publishesSuppressions = packedOutboxInsert(`
  SELECT project_id, '${suppressionEvents.added.name}' AS name, NULL::text AS trace, row_number() OVER () AS row_index,
    jsonb_build_object('email', email, 'reason', reason, 'at', now()) AS item
  FROM suppressed WHERE is_new`);

const applySql = `
  WITH requested AS (
    SELECT * FROM ${columns.unnest('r', 1)}
  ), ${foundSql}, known AS MATERIALIZED (
    SELECT DISTINCT ON (f.project_id, r.email_id, r.history_id) r.*, f.project_id, f.position AS target, f.address, f.state, f.before, f.is_unpublished,
      least(now(), greatest(f.created_at, coalesce(r.reported_at, now()))) AS occurred_at
    FROM requested r JOIN found f USING (row_index)
    WHERE r.bits & ~f.before <> 0 OR (SELECT count(*) FROM (
      SELECT FROM email_events v WHERE v.project_id = f.project_id AND v.email_id = r.email_id AND v.recipient = f.address LIMIT ${maxReports}
    ) AS counted) < ${maxReports}
    ORDER BY f.project_id, r.email_id, r.history_id, r.row_index
  ), stored AS (
    INSERT INTO email_events (project_id, email_id, id, status, recipient, at, detail, host, reply_code, kind, source)
    SELECT project_id, email_id, history_id, history_status, address, occurred_at, CASE WHEN NOT ${isErasedSql('address')} THEN detail END, host, reply_code, kind, source
    FROM known ORDER BY project_id, email_id, history_id
    ON CONFLICT DO NOTHING RETURNING email_id, id, detail, reply_code
  ), new AS MATERIALIZED (
    SELECT k.row_index, k.project_id, k.email_id, k.target AS position, k.address, k.history_id, k.bits, k.kind, k.before, k.is_unpublished, k.state, k.suppression, k.message_id,
      k.occurred_at, stored.detail, stored.reply_code
    FROM known k JOIN stored ON stored.email_id = k.email_id AND stored.id = k.history_id
  ), merged AS MATERIALIZED (
    SELECT project_id, email_id, position, state, before, before | bit_or(bits) AS after, max(message_id) AS message_id,
      ${firstOf('SENT')} AS sent_at, ${firstOf('DELIVERED')} AS delivered_at, ${firstOf('BOUNCED')} AS bounced_at, ${firstOf('COMPLAINED')} AS complained_at,
      (array_agg(detail ORDER BY bits DESC, occurred_at, history_id))[1] AS detail
    FROM new GROUP BY project_id, email_id, position, state, before ORDER BY project_id, email_id, position
  ), settled AS (
    UPDATE deliveries d SET reported_bits = m.after,
      state = CASE WHEN m.state = 'HANDOFF' THEN d.state ELSE ${stateOfBits('m.after')} END,
      worker_id = CASE WHEN m.state = 'HANDOFF' THEN d.worker_id END
    FROM merged m WHERE d.project_id = m.project_id AND d.email_id = m.email_id AND d.position = m.position
    RETURNING old.state AS state
  ), updated_email AS (
    UPDATE emails e SET status = ${statusOfBits('m.after')},
      failure_kind = ${failureKindOfBits('m.after')},
      error = CASE WHEN ${failureKindOfBits('m.after')} IS NULL THEN NULL WHEN e.status = ${statusOfBits('m.after')} THEN coalesce(e.error, m.detail) ELSE m.detail END,
      sent_at = coalesce(e.sent_at, m.sent_at), delivered_at = coalesce(e.delivered_at, m.delivered_at),
      bounced_at = coalesce(e.bounced_at, m.bounced_at), complained_at = coalesce(e.complained_at, m.complained_at),
      provider_message_id = coalesce(e.provider_message_id, m.message_id), updated_at = now()
    FROM merged m WHERE e.project_id = m.project_id AND e.id = m.email_id AND m.position = 0
    RETURNING e.id AS email_id, old.status AS was, ${emailEventDetails('e')} AS details
  ), suppressed AS (
    INSERT INTO suppressions (project_id, email, reason, source)
    SELECT DISTINCT ON (project_id, address) project_id, address, suppression, 'PROVIDER' FROM new
    WHERE suppression IS NOT NULL ORDER BY project_id, address, suppression
    -- Whichever comes first, a complaint is the stronger reason.
    ON CONFLICT (project_id, email) DO UPDATE SET reason = excluded.reason
      WHERE suppressions.source = 'PROVIDER' AND suppressions.reason = 'HARD_BOUNCE' AND excluded.reason = 'COMPLAINT'
    RETURNING project_id, email, suppressions.reason, old.email IS NULL AS is_new
  ), published AS (
    ${publishesEmailEvents}
  ), published_of_copies AS (
    ${publishesCopyEvents}
  ), published_suppressions AS (
    ${publishesSuppressions}
  )
  SELECT (SELECT coalesce(array_agg(row_index), '{}') FROM new) AS recorded, (SELECT count(*)::int FROM settled WHERE state = 'AMBIGUOUS') AS settled`;
