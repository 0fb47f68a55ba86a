import { columnsOf, type Database, type Statement } from '@posthorn/database';
import { Spanned, type Tracing } from '@posthorn/telemetry';
import type { ErasedAddressHashes } from '../../erasures/erased-names.js';
import { addressLockKeySql } from '../../suppressions/suppressions.repository.js';
import { leasedDeliveryColumns } from '../delivery-columns.js';
import { availableSql, markRules, markSources, thisMonth, type RuleDecision } from './mark-rules.js';
import type { ClaimedDelivery } from '../claiming/claims.repository.js';
import type { Pace, Slot } from '../claiming/pace.js';

/** Our own check just before MAIL FROM; what the mail server says is a verdict. */
export type MarkDecision = 'ok' | 'claim_lost' | RuleDecision | 'quota';

export interface Mark {
  decision: MarkDecision;
  slot: Slot;
}

type Marked = Pick<
  ClaimedDelivery,
  'projectId' | 'emailId' | 'position' | 'leaseToken' | 'recipient' | 'trace'
> &
  Partial<Pick<ClaimedDelivery, 'to'>>;

type Guarded = Marked & { hashes: ErasedAddressHashes };

/**
 * The last check before MAIL FROM: lease, suppressions, allowance and rate limit in one transaction. A separate first statement takes the
 * locks, so that the update sees every suppression and opt-out that was acknowledged before (docs/guarantees.md G8).
 */
export class HandOffMarks {
  readonly tracing: Tracing;

  constructor(
    private readonly database: Database,
    private readonly pace: Pace,
    private readonly hashes: ErasedAddressHashes,
  ) {
    this.tracing = database.tracing;
  }

  @Spanned('mark', { traces: (_workerId: string, messages: Marked[]) => messages.map(({ trace }) => trace) })
  async mark(workerId: string, messages: Marked[]): Promise<Mark[]> {
    const [, guarded] = await this.database.transactionInOneWrite([
      lock(messages),
      this.guard(
        workerId,
        messages.map((message) => ({ ...message, hashes: this.hashes })),
      ),
    ]);
    const rows = guarded as { index: number; decision: MarkDecision; wait: number | null }[];
    const decisions = messages.map((): MarkDecision => 'claim_lost');
    for (const { index, decision } of rows) decisions[index] = decision;
    const slots = this.pace.slots(rows[0]?.wait ?? null, messages.length)[Symbol.iterator]();
    return decisions.map((decision) => ({ decision, slot: decision === 'ok' ? slots.next().value! : null }));
  }

  /** Only what leaves uses up the rate limit: what is refused must not hold up others. */
  private guard(workerId: string, messages: Guarded[]): Statement {
    const paced = this.pace.reservation('SELECT count(*) FROM marked', guardColumns.count + 2);
    return {
      name: paced ? 'mark-hand-off-paced' : 'mark-hand-off',
      sql: `${guardSql}${paced ? `, paced AS (${paced.sql})` : ''}
        SELECT j.row_index AS index, CASE WHEN j.decision = 'ok' AND marked.row_index IS NULL THEN 'claim_lost' ELSE j.decision END AS decision,
          ${paced ? '(SELECT wait FROM paced)' : 'NULL::float8'} AS wait
        FROM decided j LEFT JOIN marked USING (row_index)`,
      parameters: [workerId, ...guardColumns.values(messages), ...(paced?.parameters ?? [])],
    };
  }
}

function lock(messages: Marked[]): Statement {
  const requested = messages.flatMap(({ projectId, recipient, position, to: mainRecipient }) =>
    [recipient, ...(position > 0 && mainRecipient ? [mainRecipient.email] : [])].map((email) => ({
      projectId,
      email,
    })),
  );
  return {
    name: 'lock-addresses',
    sql: `WITH requested AS (SELECT DISTINCT project_id, email FROM unnest($1::uuid[], $2::text[]) AS r (project_id, email) ORDER BY project_id, email),
         address AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared(${addressLockKeySql}) FROM requested),
         allowance AS MATERIALIZED (SELECT 1 FROM allowances WHERE project_id IN (SELECT project_id FROM requested) ORDER BY project_id, category FOR UPDATE)
       SELECT (SELECT count(*) FROM address), (SELECT count(*) FROM allowance)`,
    parameters: [requested.map(({ projectId }) => projectId), requested.map(({ email }) => email)],
  };
}

const guardColumns = columnsOf<Guarded>([
  ...leasedDeliveryColumns,
  {
    column: 'address_hash',
    type: 'text',
    value: ({ projectId, recipient, hashes }) => hashes.of(projectId, recipient),
  },
  {
    column: 'main_address_hash',
    type: 'text',
    value: ({ projectId, position, to: mainRecipient, hashes }) =>
      position > 0 && mainRecipient ? hashes.of(projectId, mainRecipient.email) : null,
  },
]);

const guardSql = `
  WITH requested AS (
    SELECT * FROM ${guardColumns.unnest('r', 2)}
  ), checked AS (
    SELECT r.row_index, r.lease_token, r.project_id, r.email_id, r.position, d.lane, allowance.category,
      ${availableSql} AS available,
      CASE
        WHEN d.state <> 'CLAIMED' OR d.lease_token <> r.lease_token OR d.worker_id IS DISTINCT FROM $1 THEN 'claim_lost'
        ${markRules.map(({ decision, applies }) => `WHEN ${applies} THEN '${decision}'`).join('\n        ')}
        ELSE 'ok'
      END AS decision
    FROM requested r ${markSources}
  ), decided AS (
    -- Only what would leave uses up the allowance.
    SELECT row_index, lease_token, project_id, email_id, position, category,
      CASE WHEN decision = 'ok' AND row_number() OVER (PARTITION BY project_id, lane, decision ORDER BY row_index) > available THEN 'quota' ELSE decision END AS decision
    FROM checked
  ), marked AS (
    UPDATE deliveries d SET state = 'HANDOFF' FROM decided j
    WHERE d.project_id = j.project_id AND d.email_id = j.email_id AND d.position = j.position
      AND j.decision = 'ok' AND d.state = 'CLAIMED' AND d.lease_token = j.lease_token
      AND EXISTS (SELECT 1 FROM workers WHERE id = $1 AND expires_at > now())
    RETURNING j.row_index, j.project_id, j.category
  ), spent AS (
    UPDATE allowances a SET used = CASE WHEN a.month = ${thisMonth} THEN a.used ELSE 0 END + s.count, month = ${thisMonth}
    FROM (SELECT project_id, category, count(*)::int AS count FROM marked WHERE category IS NOT NULL GROUP BY project_id, category) AS s
    WHERE a.project_id = s.project_id AND a.category = s.category
  )`;
