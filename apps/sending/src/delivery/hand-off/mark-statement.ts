import { columnsOf, type Statement } from '@posthorn/database';
import {
  addUsage,
  isFree,
  isLimited,
  leftOfDay,
  leftOfMonth,
  leftOfSource,
  nextDay,
  nextMonth,
} from '../../allowances/allowance-sql.js';
import type { ErasedAddressHashes } from '../../erasures/erased-names.js';
import { anyDestination, destinationOf, domainOf } from '../../pacing/destination.js';
import {
  slotOf,
  slotWaitMs,
  slowDownColumns,
  slowDownSources,
  takeSlots,
} from '../../pacing/slow-down-sql.js';
import { addWarmUps, isOverWarmUp, lockWarmUps, warmUpLeft, type WarmUp } from '../../pacing/warm-up-sql.js';
import { addressLockKeySql } from '../../suppressions/suppressions.repository.js';
import type { ClaimedDelivery } from '../claiming/claims.repository.js';
import type { Pace } from '../claiming/pace.js';
import { leasedDeliveryColumns } from '../delivery-columns.js';
import { markRules, markSources } from './mark-rules.js';

export type Marked = Pick<
  ClaimedDelivery,
  'projectId' | 'emailId' | 'position' | 'leaseToken' | 'recipient' | 'sourceType' | 'trace'
> &
  Partial<Pick<ClaimedDelivery, 'to' | 'from'>>;

export type Guarded = Marked & { hashes: ErasedAddressHashes };

export interface MarkSettings {
  provider: string;
  warmUp: WarmUp | null;
}

const senderDomainOf = ({ from }: Marked): string => domainOf(from?.email ?? '');
const placeOf = ({ recipient }: Marked): string => destinationOf(domainOf(recipient));

/** A statement of its own, so that the next one sees what was committed before the locks were taken. */
export function lockStatement(messages: Marked[], { provider, warmUp }: MarkSettings): Statement {
  const requested = messages.flatMap(({ projectId, recipient, position, to: mainRecipient }) =>
    [recipient, ...(position > 0 && mainRecipient ? [mainRecipient.email] : [])].map((email) => ({
      projectId,
      email,
    })),
  );
  const warming = `, warming AS (${
    warmUp
      ? lockWarmUps('SELECT * FROM unnest($5::uuid[], $6::text[]) AS m (project_id, sender_domain)', warmUp)
      : ''
  })`;
  return {
    name: warmUp ? 'lock-addresses-warm-up' : 'lock-addresses',
    sql: `WITH requested AS (SELECT DISTINCT project_id, email FROM unnest($1::uuid[], $2::text[]) AS r (project_id, email) ORDER BY project_id, email),
         address AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared(${addressLockKeySql}) FROM requested),
         limited AS MATERIALIZED (
           SELECT 1 FROM project_usage usage WHERE project_id IN (SELECT project_id FROM requested) AND ${isLimited} ORDER BY project_id FOR UPDATE),
         slowed AS MATERIALIZED (SELECT 1 FROM slowed_destinations WHERE provider = $3 AND destination IN (
           SELECT coalesce(known.destination, d.name) FROM unnest($4::text[]) AS d (name) LEFT JOIN destination_domains known ON known.domain = d.name
         ) ORDER BY destination FOR UPDATE)${warmUp ? warming : ''}
       SELECT (SELECT count(*) FROM address), (SELECT count(*) FROM limited), (SELECT count(*) FROM slowed)${warmUp ? ', (SELECT count(*) FROM warming)' : ''}`,
    parameters: [
      requested.map(({ projectId }) => projectId),
      requested.map(({ email }) => email),
      provider,
      [anyDestination, ...messages.map(placeOf)],
      ...(warmUp ? [messages.map(({ projectId }) => projectId), messages.map(senderDomainOf)] : []),
    ],
  };
}

/** Only what leaves uses up the rate limit: what is refused must not hold up others. */
export function guardStatement(
  workerId: string,
  messages: Guarded[],
  { pace, provider, warmUp }: MarkSettings & { pace: Pace },
): Statement {
  const paced = pace.reservation('SELECT count(*) FROM marked', columns.count + 3);
  return {
    name: `mark-hand-off${paced ? '-paced' : ''}${warmUp ? '-warm-up' : ''}`,
    sql: `${guardSql(warmUp)}${paced ? `, paced AS (${paced.sql})` : ''}
      SELECT j.row_index AS index, CASE WHEN j.decision = 'ok' AND marked.row_index IS NULL THEN 'claim_lost' ELSE j.decision END AS decision,
        CASE
          WHEN j.decision = 'quota' AND j.when_exhausted = 'HOLD' OR j.decision = 'warming_up' THEN extract(epoch FROM j.until - now())::float8 * 1000
          WHEN j.decision = 'slowed' THEN ${slotWaitMs('j.slot')}
        END AS "delayMs", ${paced ? '(SELECT wait FROM paced)' : 'NULL::float8'} AS wait
      FROM decided j LEFT JOIN marked USING (row_index)`,
    parameters: [workerId, ...columns.values(messages), provider, ...(paced?.parameters ?? [])],
  };
}

const columns = columnsOf<Guarded>([
  ...leasedDeliveryColumns,
  { column: 'source_type', type: 'text', value: ({ sourceType }) => sourceType },
  { column: 'destination', type: 'text', value: placeOf },
  { column: 'sender_domain', type: 'text', value: senderDomainOf },
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
const provider = `$${columns.count + 2}::text`;

/** Among the rows of the same group that have passed so far. */
const rank = (group: string): string => `row_number() OVER (PARTITION BY ${group} ORDER BY row_index)`;
const passes = (before: string, isOver: string): string => `${before} AND NOT coalesce(${isOver}, false)`;

/** Each check counts only what the checks before it let pass (docs/decisions/0026-allowances.md, docs/decisions/0027-adaptive-pace.md). */
const guardSql = (warmUp: WarmUp | null): string => `
  WITH requested AS (
    SELECT * FROM ${columns.unnest('r', 2)}
  ), checked AS (
    SELECT r.row_index, r.lease_token, r.project_id, r.email_id, r.position, r.source_type, r.sender_domain, d.lane, ${isFree} AS is_free, usage.when_exhausted,
      ${leftOfSource('r.source_type')} AS left_of_source, ${leftOfMonth} AS left_of_month, ${leftOfDay} AS left_of_day,
      ${warmUp ? warmUpLeft(warmUp) : 'NULL::float8 AS warm_up_left'}, ${slowDownColumns},
      CASE
        WHEN d.state <> 'CLAIMED' OR d.lease_token <> r.lease_token OR d.worker_id IS DISTINCT FROM $1 THEN 'claim_lost'
        ${markRules.map(({ decision, applies }) => `WHEN ${applies} THEN '${decision}'`).join('\n        ')}
        ELSE 'ok'
      END AS rule
    FROM requested r ${markSources} ${slowDownSources(provider)}
  ), warmed AS (
    SELECT *, ${passes(`rule = 'ok'`, isOverWarmUp(rank(`project_id, sender_domain, rule = 'ok'`)))} AS is_warm FROM checked
  ), slotted AS (
    SELECT *, ${slotOf(rank('destination, is_warm'), rank('is_warm'))} AS slot FROM warmed
  ), paced_rows AS (
    SELECT *, ${passes('is_warm', 'slot > now()')} AS is_in_time FROM slotted
  ), within_source AS (
    SELECT *, ${passes('is_in_time', `NOT is_free AND ${rank('project_id, source_type, is_in_time, is_free')} > left_of_source`)} AS is_in_source FROM paced_rows
  ), ranked AS (
    SELECT *, ${rank('project_id, is_in_source, is_free')} AS rank FROM within_source
  ), decided AS (
    SELECT *,
      CASE
        WHEN rule <> 'ok' THEN rule
        WHEN NOT is_warm THEN 'warming_up'
        WHEN NOT is_in_time THEN 'slowed'
        WHEN NOT is_in_source OR NOT is_free AND coalesce(rank > least(left_of_month, left_of_day), false) THEN 'quota'
        ELSE 'ok'
      END AS decision,
      CASE WHEN is_warm AND (NOT is_in_source OR rank > left_of_month) THEN ${nextMonth} ELSE ${nextDay} END AS until
    FROM ranked
  ), marked AS (
    UPDATE deliveries d SET state = 'HANDOFF', counted = d.counted OR NOT j.is_free FROM decided j
    WHERE d.project_id = j.project_id AND d.email_id = j.email_id AND d.position = j.position
      AND j.decision = 'ok' AND d.state = 'CLAIMED' AND d.lease_token = j.lease_token
      AND EXISTS (SELECT 1 FROM workers WHERE id = $1 AND expires_at > now())
    RETURNING j.row_index, j.project_id, j.source_type, j.sender_domain, j.destination, j.is_free
  ), used AS (
    ${addUsage('SELECT project_id, source_type FROM marked WHERE NOT is_free')}
  ), slots AS (
    ${takeSlots(provider, 'SELECT destination FROM marked')}
  )${warmUp ? `, warmed_up AS (${addWarmUps('SELECT project_id, sender_domain FROM marked')})` : ''}`;
