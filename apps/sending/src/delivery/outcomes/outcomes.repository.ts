import { copyEvents, emailEvents, storableText, suppressionEvents } from '@posthorn/contracts';
import { columnsOf, newId, type Database } from '@posthorn/database';
import { providerMessageIdOf } from '@posthorn/mail';
import { packedOutboxInsert } from '@posthorn/messaging';
import { copyEventDetailsOf, emailEventDetails } from '../../emails/email-event-details.js';
import {
  copyEventOfBit,
  eventOfBit,
  reportedBits,
  stateOfBits,
  statusOfBits,
} from '../../provider-events/reported.js';
import { addressLockKeySql } from '../../suppressions/suppressions.repository.js';
import { leasedDeliveryColumns } from '../delivery-columns.js';
import { deliveryWindowHours, maxClaims } from '../delivery-states.js';
import type { Outcome } from './outcome.js';

export interface OutcomeRow {
  projectId: string;
  emailId: string;
  position: number;
  leaseToken: number;
  recipient: string;
  subject: string | null;
  fromName?: string | null;
  contactId?: string | null;
  trace: string | null;
  outcome: Outcome;
}

/** The final write of attempts (docs/guarantees.md §3), guarded by the lease token: one statement for all outcomes gathered meanwhile. */
export class OutcomesRepository {
  constructor(private readonly database: Database) {}

  /** In the order in which reports lock deliveries, so that they do not deadlock. */
  async record(unordered: OutcomeRow[]): Promise<number> {
    const rows = unordered.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    const parameters = outcomes.values(rows);
    const written = await this.database.prepared({ name: 'record-outcomes', sql: recordSql, parameters });
    return written.length;
  }
}

const outcomes = columnsOf<OutcomeRow>([
  ...leasedDeliveryColumns,
  { column: 'recipient', type: 'text', value: ({ recipient }) => recipient },
  { column: 'subject', type: 'text', value: ({ subject }) => subject },
  { column: 'from_name', type: 'text', value: ({ fromName }) => fromName },
  { column: 'contact_id', type: 'uuid', value: ({ contactId }) => contactId },
  { column: 'state', type: 'text', value: ({ outcome }) => outcome.state },
  { column: 'status', type: 'text', value: ({ outcome }) => outcome.status },
  { column: 'failure_kind', type: 'text', value: ({ outcome }) => outcome.failureKind },
  { column: 'error', type: 'text', value: ({ outcome }) => outcome.error },
  { column: 'delay_ms', type: 'float8', value: ({ outcome }) => outcome.delayMs },
  { column: 'counts_as_attempt', type: 'smallint', value: ({ outcome }) => Number(outcome.countsAsAttempt) },
  { column: 'suppress', type: 'boolean', value: ({ outcome }) => outcome.suppress },
  { column: 'report_bits', type: 'smallint', value: ({ outcome }) => bitsOf(outcome) },
  {
    column: 'waits_for_next_period',
    type: 'boolean',
    value: ({ outcome }) => outcome.waitsForNextPeriod ?? false,
  },
  { column: 'has_turn', type: 'boolean', value: ({ outcome }) => outcome.hasTurn ?? false },
  { column: 'resends', type: 'smallint', value: ({ outcome }) => Number(outcome.isResend ?? false) },
  // Every attempt and every change becomes a row of the e-mail's history; what is merely postponed (requeued without an attempt) only does when it begins to wait for an allowance or a warm-up.
  { column: 'history_id', type: 'uuid', value: () => newId() },
  { column: 'history_status', type: 'text', value: ({ outcome }) => historyStatusOf(outcome) },
  { column: 'provider_message_id', type: 'text', value: ({ outcome }) => messageIdOf(outcome) },
  { column: 'stage', type: 'text', value: ({ outcome }) => outcome.attempt?.stage },
  { column: 'host', type: 'text', value: ({ outcome }) => outcome.attempt?.host },
  { column: 'tls', type: 'boolean', value: ({ outcome }) => outcome.attempt?.tls },
  { column: 'reply_code', type: 'smallint', value: ({ outcome }) => outcome.attempt?.reply?.code },
  { column: 'duration_ms', type: 'int', value: ({ outcome }) => durationOf(outcome) },
  { column: 'trace', type: 'text', value: ({ trace }) => trace },
  { column: 'events', type: 'jsonb', value: (row) => JSON.stringify(eventsOf(row)) },
]);

interface OutcomeEvent {
  name: string;
  /** The event is published if the delivery did not have this bit yet. 0 for an event that no bit stands for: it is published unless earlier reports overrule the outcome. */
  bit: number;
  item: object;
}

const eachEvent = (row: string): string =>
  `LATERAL jsonb_to_recordset(${row}.events) AS event (name text, bit smallint, item jsonb)`;

const publishesEvents = packedOutboxInsert(`
  SELECT m.project_id, event.name, m.trace, m.row_index, m.details || event.item || jsonb_build_object('at', now()) AS item
  FROM described m, ${eachEvent('m')}
  WHERE event.item ? 'emailId' AND CASE event.bit WHEN 0 THEN NOT m.is_overruled_by_report ELSE m.reported_before & event.bit = 0 END
  UNION ALL
  -- An address that was suppressed already is not announced again.
  SELECT w.project_id, event.name, w.trace, w.row_index, event.item || jsonb_build_object('at', now()) AS item
  FROM suppression s JOIN written w ON w.project_id = s.project_id AND w.recipient = s.email, ${eachEvent('w')}
  WHERE NOT event.item ? 'emailId'`);

const isNew = (kind: keyof typeof reportedBits): string =>
  `w.reported_after & ~w.reported_before & ${reportedBits[kind]} <> 0`;

/**
 * It begins with its name: Postgres shows only the beginning of a statement that runs. Each part takes what it needs
 * from the one before: parts that are joined by their rows again are compared row by row, which is quadratic.
 */
const recordSql = `
  /* record-outcomes */
  WITH requested AS (
    SELECT * FROM ${outcomes.unnest('o', 1)}
  ), locked AS MATERIALIZED (
    -- In the order in which marks take their locks. A later mark then sees the suppression.
    SELECT pg_advisory_xact_lock(${addressLockKeySql}) FROM (
      SELECT DISTINCT project_id, recipient AS email FROM requested WHERE suppress ORDER BY project_id, email
    ) AS address
  ), outcome AS MATERIALIZED (
    SELECT * FROM requested WHERE (SELECT count(*) FROM locked) IS NOT NULL
  ), written AS (
    UPDATE deliveries d
    -- Reported bits are those of provider-events/reported.ts: once one is set, they decide the state, not our own conclusion (such as a retry).
    SET state = CASE WHEN d.reported_bits | o.report_bits = 0 THEN o.state ELSE ${stateOfBits('d.reported_bits | o.report_bits')} END, reported_bits = d.reported_bits | o.report_bits, due_at = now() + o.delay_ms * interval '1 millisecond',
        waits_for_next_period = o.waits_for_next_period, has_turn = o.has_turn,
        expires_at = CASE WHEN o.waits_for_next_period THEN now() + o.delay_ms * interval '1 millisecond' + interval '${deliveryWindowHours} hours' ELSE d.expires_at END, attempts = d.attempts + o.counts_as_attempt,
        claims = CASE WHEN o.resends > 0 THEN d.claims ELSE 0 END, resends = d.resends + o.resends,
        worker_id = CASE WHEN o.state = 'AMBIGUOUS' AND d.reported_bits = 0 THEN d.worker_id END
    FROM outcome o
    WHERE d.project_id = o.project_id AND d.email_id = o.email_id AND d.position = o.position
      AND d.lease_token = o.lease_token
      AND (d.state IN ('CLAIMED', 'HANDOFF') OR (d.state = 'AMBIGUOUS' AND o.state <> 'AMBIGUOUS')
        OR (d.state = 'QUEUED' AND d.claims >= ${maxClaims})
        -- Dropped by the operator; or requeued or held before the late outcome of an attempt arrived.
        OR (d.state IN ('QUEUED', 'HELD') AND o.state IN ('SENT', 'BOUNCED', 'FAILED')))
    RETURNING o.*, d.attempts, old.reported_bits AS reported_before, d.reported_bits AS reported_after,
      old.reported_bits <> 0 AND (o.status IS NULL OR o.status <> ${statusOfBits('d.reported_bits')}) AS is_overruled_by_report
  ), updated_email AS (
    UPDATE emails e
    SET status = CASE w.reported_after WHEN 0 THEN coalesce(w.status, e.status) ELSE ${statusOfBits('w.reported_after')} END, subject = coalesce(w.subject, e.subject), from_name = coalesce(w.from_name, e.from_name), contact_id = coalesce(e.contact_id, w.contact_id),
        failure_kind = CASE WHEN w.is_overruled_by_report THEN e.failure_kind ELSE w.failure_kind END,
        provider_message_id = coalesce(e.provider_message_id, w.provider_message_id),
        error = CASE WHEN w.is_overruled_by_report THEN e.error ELSE w.error END, updated_at = now(),
        sent_at = CASE WHEN ${isNew('SENT')} THEN now() ELSE e.sent_at END,
        delivered_at = CASE WHEN ${isNew('DELIVERED')} THEN now() ELSE e.delivered_at END,
        bounced_at = CASE WHEN ${isNew('BOUNCED')} THEN now() ELSE e.bounced_at END
    FROM written w
    WHERE e.project_id = w.project_id AND e.id = w.email_id AND w.position = 0 AND (w.status IS NOT NULL OR w.reported_after <> 0)
    RETURNING w.project_id, w.row_index, w.trace, w.events, w.reported_before, w.is_overruled_by_report, ${emailEventDetails('e')} AS details
  ), described AS (
    SELECT * FROM updated_email
    UNION ALL
    SELECT w.project_id, w.row_index, w.trace, w.events, w.reported_before, w.is_overruled_by_report, e.details
    FROM written w, LATERAL (${copyEventDetailsOf('w')}) AS e WHERE w.position > 0
  ), history AS (
    INSERT INTO email_events (project_id, email_id, id, status, recipient, detail, attempt, stage, host, tls, reply_code, duration_ms)
    SELECT project_id, email_id, history_id, history_status, recipient, error, attempts, stage, host, tls, reply_code, duration_ms
    FROM written WHERE history_status IS NOT NULL
  ), suppression AS (
    INSERT INTO suppressions (project_id, email, reason, source)
    SELECT DISTINCT project_id, recipient, 'HARD_BOUNCE', 'PROVIDER' FROM written WHERE suppress
    ON CONFLICT DO NOTHING RETURNING project_id, email
  ), published AS (
    ${publishesEvents}
  )
  SELECT row_index FROM written`;

const keyOf = ({ projectId, emailId, position }: OutcomeRow): string =>
  `${projectId} ${emailId} ${String(position).padStart(3, '0')}`;

const historyStatusOf = ({ status, state }: Outcome): string | null =>
  status ?? (state === 'AMBIGUOUS' ? 'SENDING' : null);

const messageIdOf = ({ attempt }: Outcome): string | null =>
  attempt?.verdict === 'accepted' ? storedId(providerMessageIdOf(attempt.reply)) : null;

const storedId = (id: string | null): string | null => id && storableText(id);

const durationOf = ({ attempt }: Outcome): number | null => attempt && Math.round(attempt.durationMs);

const bitsOf = ({ state, status }: Outcome): number => {
  if (state === 'BOUNCED') return reportedBits.BOUNCED;
  if (state !== 'SENT') return 0;
  return status === 'DELIVERED' ? reportedBits.SENT | reportedBits.DELIVERED : reportedBits.SENT;
};

const bitOfEvent = new Map([...eventOfBit, ...copyEventOfBit].map(([bit, name]) => [name, bit]));
const eventsOfCopies: ReadonlyMap<string, string> = new Map([
  [emailEvents.sent.name, copyEvents.sent.name],
  [emailEvents.bounced.name, copyEvents.bounced.name],
  [suppressionEvents.added.name, suppressionEvents.added.name],
]);

function eventsOf(row: OutcomeRow): OutcomeEvent[] {
  return row.outcome.events.flatMap(({ event, payload }): OutcomeEvent[] => {
    const name = row.position === 0 ? event.name : eventsOfCopies.get(event.name);
    if (name === undefined) return [];
    const bit = bitsOf(row.outcome) & (bitOfEvent.get(name) ?? 0);
    return [{ name, bit, item: itemOf(row, payload) }];
  });
}

function itemOf({ emailId, position, recipient }: OutcomeRow, payload: object): object {
  if ('email' in payload) return payload;
  const about = { emailId, to: recipient };
  if (position === 0) return { ...about, ...payload };
  return 'refused' in payload ? { ...about, refused: payload.refused } : about;
}
