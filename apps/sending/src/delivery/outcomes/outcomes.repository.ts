import { newId, type Database } from '@posthorn/database';
import { EventRows, outboxInsert } from '@posthorn/messaging';
import { maxClaims, type Outcome } from './outcome.js';

export interface OutcomeRow {
  projectId: string;
  emailId: string;
  position: number;
  leaseToken: number;
  recipient: string;
  /** As rendered; null where it was not. */
  subject: string | null;
  /** Where the way of its message is recorded; null where it is not. */
  trace: string | null;
  outcome: Outcome;
}

/** The final write (docs/guarantees.md §3): guarded by the token, one statement for all that ended meanwhile. */
export class OutcomesRepository {
  constructor(private readonly database: Database) {}

  /** Answers how many still were this holder's to write. */
  async record(rows: OutcomeRow[]): Promise<number> {
    const parameters = [
      ...deliveryColumns(rows),
      ...eventColumns(rows),
      ...factColumns(rows),
      rows.map(({ subject }) => subject),
      rows.map(({ outcome }) => outcome.keepsClaims ?? false),
    ];
    const written = await this.database.prepared({ name: 'record-outcomes', sql: recordSql, parameters });
    return written.length;
  }
}

/** An event about an address names no e-mail, and so no source of one. */
const insertsEvents = outboxInsert(
  {
    id: 'f.fact_id',
    projectId: 'o.project_id',
    fact: 'f.fact',
    items: `jsonb_agg(f.item || jsonb_build_object('at', now())
      || CASE WHEN f.item ? 'emailId' THEN jsonb_build_object('sourceType', email.source_type) ELSE '{}' END)`,
    traces: `string_agg(DISTINCT f.trace, ',')`,
  },
  `FROM f JOIN written USING (place) JOIN o USING (place) LEFT JOIN email USING (place)
    WHERE NOT f.item ? 'emailId' OR email.source_type IS NOT NULL
    GROUP BY f.fact_id, o.project_id, f.fact`,
);

const recordSql = `
  WITH o AS (
    SELECT * FROM unnest($1::int[], $2::uuid[], $3::uuid[], $4::smallint[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[], $10::float8[], $11::smallint[],
                         $12::text[], $13::boolean[], $14::uuid[], $15::text[], $16::text[], $17::text[], $18::boolean[], $19::smallint[], $20::int[], $26::text[], $27::boolean[])
      AS o (place, project_id, email_id, position, lease_token, state, status, failure_kind, error, delay_ms, attempted,
            recipient, suppress, event_id, event_status, stage, host, tls, reply_code, duration_ms, subject, keeps_claims)
  ), f AS (
    SELECT * FROM unnest($21::int[], $22::text[], $23::uuid[], $24::jsonb[], $25::text[]) AS f (place, fact, fact_id, item, trace)
  ), written AS (
    UPDATE deliveries d
    SET state = o.state, due_at = now() + o.delay_ms * interval '1 millisecond', attempts = d.attempts + o.attempted,
        claims = CASE WHEN o.keeps_claims THEN d.claims ELSE 0 END,
        worker_id = CASE o.state WHEN 'AMBIGUOUS' THEN d.worker_id END
    FROM o
    WHERE d.project_id = o.project_id AND d.email_id = o.email_id AND d.position = o.position
      AND d.lease_token = o.lease_token
      AND (d.state IN ('CLAIMED', 'HANDOFF', 'AMBIGUOUS') OR (d.state = 'QUEUED' AND d.claims >= ${maxClaims}))
    RETURNING o.place, d.attempts
  ), email AS (
    UPDATE emails e
    SET status = coalesce(o.status, e.status), subject = coalesce(o.subject, e.subject), failure_kind = o.failure_kind, error = o.error, updated_at = now(),
        sent_at = CASE WHEN o.status IN ('SENT', 'DELIVERED') THEN now() ELSE e.sent_at END,
        delivered_at = CASE WHEN o.status = 'DELIVERED' THEN now() ELSE e.delivered_at END,
        bounced_at = CASE WHEN o.status = 'BOUNCED' THEN now() ELSE e.bounced_at END
    FROM o JOIN written USING (place)
    WHERE e.project_id = o.project_id AND e.id = o.email_id AND o.position = 0 AND o.status IS NOT NULL
    RETURNING o.place, e.source_type
  ), event AS (
    INSERT INTO email_events (project_id, email_id, id, status, recipient, detail, attempt, stage, host, tls, reply_code, duration_ms)
    SELECT project_id, email_id, event_id, event_status, recipient, error, attempts, stage, host, tls, reply_code, duration_ms
    FROM o JOIN written USING (place) WHERE event_status IS NOT NULL
  ), suppression AS (
    INSERT INTO suppressions (project_id, email, reason, source)
    SELECT DISTINCT project_id, recipient, 'HARD_BOUNCE', 'PROVIDER' FROM o JOIN written USING (place) WHERE suppress
    ON CONFLICT DO NOTHING
  ), fact AS (
    ${insertsEvents}
  )
  SELECT place FROM written`;

function deliveryColumns(rows: OutcomeRow[]): unknown[][] {
  return [
    rows.map((_, index) => index),
    rows.map(({ projectId }) => projectId),
    rows.map(({ emailId }) => emailId),
    rows.map(({ position }) => position),
    rows.map(({ leaseToken }) => leaseToken),
    rows.map(({ outcome }) => outcome.state),
    rows.map(({ outcome }) => outcome.status),
    rows.map(({ outcome }) => outcome.failureKind),
    rows.map(({ outcome }) => outcome.error),
    rows.map(({ outcome }) => outcome.delayMs),
    rows.map(({ outcome }) => Number(outcome.attempted)),
    rows.map(({ recipient }) => recipient),
    rows.map(({ outcome }) => outcome.suppress),
  ];
}

/** One event for each attempt and each change; what is only held leaves no trace. */
function eventColumns(rows: OutcomeRow[]): unknown[][] {
  return [
    rows.map(() => newId()),
    rows.map(({ outcome }) => outcome.status ?? (outcome.state === 'AMBIGUOUS' ? 'SENDING' : null)),
    rows.map(({ outcome }) => outcome.attempt?.stage ?? null),
    rows.map(({ outcome }) => outcome.attempt?.host ?? null),
    rows.map(({ outcome }) => outcome.attempt?.tls ?? null),
    rows.map(({ outcome }) => outcome.attempt?.reply?.code ?? null),
    rows.map(({ outcome }) => (outcome.attempt ? Math.round(outcome.attempt.durationMs) : null)),
  ];
}

/** The statement adds the instant and the source of the e-mail to an item. */
const addedBytes = 90;

function factColumns(rows: OutcomeRow[]): unknown[][] {
  const events = new EventRows();
  const domainEvents = rows.flatMap(({ outcome, projectId, emailId, position, recipient, trace }, index) =>
    // A copy is no e-mail of its own: only what it tells of an address is told.
    outcome.events
      .filter(({ members }) => position === 0 || 'email' in members)
      .map(({ event: event, members }) => {
        // An event about an address carries only its own members.
        const item = JSON.stringify('email' in members ? members : { emailId, to: recipient, ...members });
        const id = events.idFor(`${projectId} ${event.name}`, Buffer.byteLength(item) + addedBytes);
        return { place: index, fact: event.name, id, item, trace };
      }),
  );
  return [
    domainEvents.map(({ place: index }) => index),
    domainEvents.map(({ fact: event }) => event),
    domainEvents.map(({ id }) => id),
    domainEvents.map(({ item }) => item),
    domainEvents.map(({ trace }) => trace),
  ];
}
