import type { Database, Statement } from '@posthorn/database';
import { Spanned, type Tracing } from '@posthorn/telemetry';
import type { ErasedNames } from '../../erasures/erased-names.js';
import { addressLock } from '../../suppressions/suppressions.repository.js';
import { lanes } from '../delivery.entity.js';
import type { ClaimedMessage } from '../claiming/claims.repository.js';
import type { Pace, Slot } from '../claiming/pace.js';

/** What the mark said of a message: only `ok` may be handed over. */
export type MarkVerdict =
  'ok' | 'lost' | 'suppressed' | 'unsubscribed' | 'disabled' | 'unknown_project' | 'quota';

export interface Mark {
  verdict: MarkVerdict;
  /** When it may leave. */
  slot: Slot;
}

type Marked = Pick<
  ClaimedMessage,
  'projectId' | 'emailId' | 'position' | 'leaseToken' | 'recipient' | 'trace'
> &
  Partial<Pick<ClaimedMessage, 'to'>>;

const thisMonth = `date_trunc('month', now() AT TIME ZONE 'UTC')::date`;

/**
 * The hand-off mark, right before MAIL FROM: fence, suppression barrier, quota and pace in one transaction. The locks come
 * first, in a statement of their own, so that the guarded update sees every suppression and opt-out that was answered (docs/guarantees.md G8).
 */
export class HandOffMarks {
  readonly tracing: Tracing;

  constructor(
    private readonly database: Database,
    private readonly pace: Pace,
    private readonly hashes: ErasedNames,
  ) {
    this.tracing = database.tracing;
  }

  @Spanned('mark', { traces: (_workerId: string, messages: Marked[]) => messages.map(({ trace }) => trace) })
  async mark(workerId: string, messages: Marked[]): Promise<Mark[]> {
    const [, guarded, taken] = await this.database.trip([
      lock(messages),
      guard(workerId, messages, this.hashes),
      ...this.pace.take(messages.length),
    ]);
    const verdicts = messages.map((): MarkVerdict => 'lost');
    for (const { place: index, verdict } of guarded as { place: number; verdict: MarkVerdict }[])
      verdicts[index] = verdict;
    const slots = this.pace.slotsOf(taken, messages.length);
    return verdicts.map((verdict, index) => ({ verdict, slot: slots[index]! }));
  }
}

function lock(messages: Marked[]): Statement {
  // A copy goes the way of the e-mail: what blocks its recipient blocks it.
  const requested = messages.flatMap(({ projectId, recipient, position, to }) =>
    [recipient, ...(position > 0 && to ? [to.email] : [])].map((email) => ({ projectId, email })),
  );
  return {
    name: 'lock-addresses',
    sql: `WITH asked AS (SELECT DISTINCT project_id, email FROM unnest($1::uuid[], $2::text[]) AS a (project_id, email) ORDER BY project_id, email),
         address AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared(${addressLock}) FROM asked),
         allowance AS MATERIALIZED (SELECT 1 FROM allowances WHERE project_id IN (SELECT project_id FROM asked) ORDER BY project_id, category FOR UPDATE)
       SELECT (SELECT count(*) FROM address), (SELECT count(*) FROM allowance)`,
    parameters: [requested.map(({ projectId }) => projectId), requested.map(({ email }) => email)],
  };
}

function guard(workerId: string, messages: Marked[], hashes: ErasedNames): Statement {
  return {
    name: 'mark-hand-off',
    sql: guardSql,
    parameters: [
      workerId,
      messages.map((_, index) => index),
      messages.map(({ projectId }) => projectId),
      messages.map(({ emailId }) => emailId),
      messages.map(({ position }) => position),
      messages.map(({ leaseToken }) => leaseToken),
      messages.map(({ projectId, recipient }) => hashes.of(projectId, recipient)),
      messages.map(({ projectId, position, to }) =>
        position > 0 && to ? hashes.of(projectId, to.email) : null,
      ),
    ],
  };
}

const guardSql = `
  WITH asked AS (
    SELECT * FROM unnest($2::int[], $3::uuid[], $4::uuid[], $5::smallint[], $6::bigint[], $7::text[], $8::text[])
      AS a (place, project_id, email_id, position, lease_token, hash, main_hash)
  ), looked_at AS (
    SELECT a.place, a.lease_token, a.project_id, a.email_id, a.position, d.lane, allowance.category,
      allowance.monthly - CASE WHEN allowance.month = ${thisMonth} THEN allowance.used ELSE 0 END AS places,
      CASE
        WHEN d.state <> 'CLAIMED' OR d.lease_token <> a.lease_token OR d.worker_id IS DISTINCT FROM $1 THEN 'lost'
        WHEN project.project_id IS NULL THEN 'unknown_project'
        WHEN project.disabled THEN 'disabled'
        WHEN suppression.email IS NOT NULL THEN 'suppressed'
        -- Who was erased is blocked by a hash, and few were: the others cost a look into a small index.
        WHEN erased.email IS NOT NULL AND EXISTS (
          SELECT 1 FROM suppressions hashed WHERE hashed.project_id = erased.project_id AND hashed.email = erased.email
        ) THEN 'suppressed'
        -- Nobody is sent a copy of what its recipient is not sent.
        WHEN a.position > 0 AND EXISTS (
          SELECT 1 FROM emails e JOIN suppressions main ON main.project_id = e.project_id AND main.email IN (e.to_email, a.main_hash)
          WHERE e.project_id = a.project_id AND e.id = a.email_id
        ) THEN 'suppressed'
        WHEN a.position > 0 AND d.lane = ${lanes.bulk} AND EXISTS (
          SELECT 1 FROM emails e JOIN opt_outs main ON main.project_id = e.project_id AND main.email IN (e.to_email, a.main_hash) AND main.opted_out
          WHERE e.project_id = a.project_id AND e.id = a.email_id
        ) THEN 'unsubscribed'
        WHEN d.lane = ${lanes.bulk} AND opt_out.opted_out THEN 'unsubscribed'
        WHEN d.lane = ${lanes.bulk} AND erased.email IS NOT NULL AND EXISTS (
          SELECT 1 FROM opt_outs hashed WHERE hashed.project_id = erased.project_id AND hashed.email = erased.email AND hashed.opted_out
        ) THEN 'unsubscribed'
        ELSE 'ok'
      END AS verdict
    FROM asked a
    JOIN deliveries d USING (project_id, email_id, position)
    LEFT JOIN project_states project USING (project_id)
    LEFT JOIN suppressions suppression ON suppression.project_id = a.project_id AND suppression.email = d.recipient
    LEFT JOIN opt_outs opt_out ON opt_out.project_id = a.project_id AND opt_out.email = d.recipient
    LEFT JOIN erased_addresses erased ON erased.project_id = a.project_id AND erased.email = a.hash
    LEFT JOIN allowances allowance ON allowance.project_id = a.project_id
      AND allowance.category = CASE d.lane WHEN ${lanes.transactional} THEN 'TRANSACTIONAL' ELSE 'MARKETING' END
  ), judged AS (
    -- Only what would leave takes a place of the allowance.
    SELECT place, lease_token, project_id, email_id, position, category,
      CASE WHEN verdict = 'ok' AND row_number() OVER (PARTITION BY project_id, lane, verdict ORDER BY place) > places THEN 'quota' ELSE verdict END AS verdict
    FROM looked_at
  ), marked AS (
    UPDATE deliveries d SET state = 'HANDOFF' FROM judged j
    WHERE d.project_id = j.project_id AND d.email_id = j.email_id AND d.position = j.position
      AND j.verdict = 'ok' AND d.state = 'CLAIMED' AND d.lease_token = j.lease_token
      AND EXISTS (SELECT 1 FROM workers WHERE id = $1 AND expires_at > now())
    RETURNING j.place, j.project_id, j.category
  ), spent AS (
    UPDATE allowances a SET used = CASE WHEN a.month = ${thisMonth} THEN a.used ELSE 0 END + s.count, month = ${thisMonth}
    FROM (SELECT project_id, category, count(*)::int AS count FROM marked WHERE category IS NOT NULL GROUP BY project_id, category) AS s
    WHERE a.project_id = s.project_id AND a.category = s.category
  )
  SELECT j.place, CASE WHEN j.verdict = 'ok' AND marked.place IS NULL THEN 'lost' ELSE j.verdict END AS verdict
  FROM judged j LEFT JOIN marked USING (place)`;
