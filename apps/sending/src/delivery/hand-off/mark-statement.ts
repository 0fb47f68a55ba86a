import { columnsOf, type Statement } from '@posthorn/database';
import {
  addUsage,
  countedSource,
  isExempt,
  isLimited,
  isSimulated,
  remainingOfDay,
  remainingOfMonth,
  remainingOfSource,
  nextDay,
  nextMonth,
  usageOfLimited,
} from '../../allowances/allowance-sql.js';
import { campaignLockName } from '../../campaign-mail/campaign-states.repository.js';
import type { ErasedAddressHasher } from '../../erasures/erased-names.js';
import {
  addMarketingHandOffs,
  remainingOfFrequencyCap,
  lockFrequencyCaps,
} from '../../frequency/frequency-cap-sql.js';
import { anyDestination, destinationOf, domainOf } from '../../pacing/destination.js';
import {
  isTurnAhead,
  isReserved,
  keepTurns,
  turnOf,
  turnWaitMs,
  slowDownColumns,
  slowDownJoins,
  slowedDestinations,
} from '../../pacing/slow-down-sql.js';
import { addWarmUps, isOverWarmUp, lockWarmUps, warmUpJoin, type WarmUp } from '../../pacing/warm-up-sql.js';
import { addressLockKeySql } from '../../suppressions/suppressions.repository.js';
import type { ClaimedDelivery } from '../claiming/claims.repository.js';
import type { Pace } from '../../pacing/pace.js';
import { leasedDeliveryColumns } from '../delivery-columns.js';
import { markRules, markJoins, quietWaitMs } from './mark-rules.js';

export type MessageToMark = Pick<
  ClaimedDelivery,
  'projectId' | 'emailId' | 'position' | 'leaseToken' | 'recipient' | 'sourceType' | 'trace'
> &
  Partial<Pick<ClaimedDelivery, 'to' | 'from' | 'campaignId' | 'category'>>;

export type HashedMessageToMark = MessageToMark & { addressHash: string; mainAddressHash: string | null };

export const withHashes = (message: MessageToMark, hasher: ErasedAddressHasher): HashedMessageToMark => {
  const { projectId, recipient, position, to: mainRecipient } = message;
  return {
    ...message,
    addressHash: hasher.hash(projectId, recipient),
    mainAddressHash: position > 0 && mainRecipient ? hasher.hash(projectId, mainRecipient.email) : null,
  };
};

export interface MarkSettings {
  providerKind: string;
  warmUp: WarmUp | null;
}

const senderDomainOf = ({ from }: MessageToMark): string => domainOf(from?.email ?? '');
const recipientDestinationOf = ({ recipient }: MessageToMark): string => destinationOf(domainOf(recipient));

/** `email` names what is locked: an address, or a campaign as `campaignLockName` writes it. */
export const lockedNames = (messages: MessageToMark[]): { projectId: string; email: string }[] =>
  messages.flatMap(({ projectId, recipient, position, campaignId, to: mainRecipient }) =>
    [
      recipient,
      ...(position > 0 && mainRecipient ? [mainRecipient.email] : []),
      ...(campaignId ? [campaignLockName(campaignId)] : []),
    ].map((email) => ({ projectId, email })),
  );

/** A statement of its own, so that the next one sees what was committed before the locks were taken. */
export function lockStatement(messages: MessageToMark[], { providerKind, warmUp }: MarkSettings): Statement {
  const requested = lockedNames(messages);
  const lockedWarmUps = `, locked_warm_ups AS (${
    warmUp
      ? lockWarmUps('SELECT * FROM unnest($5::uuid[], $6::text[]) AS m (project_id, sender_domain)', warmUp)
      : ''
  })`;
  return {
    name: warmUp ? 'lock-addresses-warm-up' : 'lock-addresses',
    sql: `WITH requested AS (SELECT DISTINCT project_id, email FROM unnest($1::uuid[], $2::text[]) AS r (project_id, email) ORDER BY project_id, email),
         address AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared(${addressLockKeySql}) FROM requested),
         frequency_caps AS MATERIALIZED (${lockFrequencyCaps}),
         limited AS MATERIALIZED (
           SELECT 1 FROM project_usage usage WHERE project_id IN (SELECT project_id FROM requested) AND ${isLimited} ORDER BY project_id FOR UPDATE),
         slowed AS MATERIALIZED (SELECT 1 FROM slowed_destinations s WHERE provider = $3 AND (destination = ANY ($4::text[]) OR EXISTS (
           SELECT FROM destination_domains recipient_domain WHERE recipient_domain.domain = ANY ($4::text[]) AND recipient_domain.destination = s.destination
         )) ORDER BY destination FOR UPDATE)${warmUp ? lockedWarmUps : ''}
       SELECT (SELECT count(*) FROM address), (SELECT count(*) FROM frequency_caps), (SELECT count(*) FROM limited), (SELECT count(*) FROM slowed)${warmUp ? ', (SELECT count(*) FROM locked_warm_ups)' : ''}`,
    parameters: [
      requested.map(({ projectId }) => projectId),
      requested.map(({ email }) => email),
      providerKind,
      [anyDestination, ...messages.map(recipientDestinationOf)],
      ...(warmUp ? [messages.map(({ projectId }) => projectId), messages.map(senderDomainOf)] : []),
    ],
  };
}

/** Only what leaves uses up the rate limit: what is refused must not hold up others. */
export function markStatement(
  workerId: string,
  messages: HashedMessageToMark[],
  { pace, providerKind, warmUp }: MarkSettings & { pace: Pace },
): Statement {
  const paced = pace.reservation(pacedCount(warmUp), columns.count + 3);
  return {
    name: `mark-hand-off${paced ? '-paced' : ''}${warmUp ? '-warm-up' : ''}`,
    sql: `${markSql(warmUp)}${paced ? `, paced AS (${paced.sql})` : ''}
      SELECT decided.row_index AS index, CASE WHEN decided.decision = 'ok' AND marked.row_index IS NULL THEN 'claim_lost' ELSE decided.decision END AS decision,
        CASE
          WHEN decided.decision = 'quota' AND decided.when_exhausted = 'HOLD' OR decided.decision = 'warming_up' THEN extract(epoch FROM decided.until - now())::float8 * 1000
          WHEN decided.decision = 'quiet_hours' THEN decided.quiet_wait_ms
          WHEN decided.decision = 'slowed' THEN ${turnWaitMs('decided.turn_at')}
        END AS "delayMs", decided.has_turn OR coalesce(${isReserved('decided.turn_at')}, false) AS "hasTurn", ${paced ? '(SELECT first_slot_ms FROM paced)' : 'NULL::float8'} AS "firstSlotMs"
      FROM decided LEFT JOIN marked USING (row_index)`,
    parameters: [workerId, ...columns.values(messages), providerKind, ...(paced?.parameters ?? [])],
  };
}

const columns = columnsOf<HashedMessageToMark>([
  ...leasedDeliveryColumns,
  { column: 'source_type', type: 'text', value: ({ sourceType }) => sourceType },
  { column: 'category', type: 'text', value: ({ category }) => category },
  { column: 'destination', type: 'text', value: recipientDestinationOf },
  { column: 'sender_domain', type: 'text', value: senderDomainOf },
  { column: 'address_hash', type: 'text', value: ({ addressHash }) => addressHash },
  { column: 'main_address_hash', type: 'text', value: ({ mainAddressHash }) => mainAddressHash },
]);
const providerKind = `$${columns.count + 2}::text`;

/** A check sees only the messages that all before it let pass; without an answer (no limit) it lets them pass, too. */
const checkAfter = (before: string, refusals: Record<string, string>): string =>
  `CASE WHEN ${before} <> 'ok' THEN ${before} ${Object.entries(refusals)
    .map(([decision, applies]) => `WHEN ${applies} THEN '${decision}'`)
    .join(' ')} ELSE 'ok' END`;
/** Its place among the messages of the batch that passed so far and share a limit. */
const rankAfter = (before: string, group: string): string =>
  `row_number() OVER (PARTITION BY ${before} = 'ok', ${group} ORDER BY row_index)`;

const isOverCap = `${rankAfter('by_rules', 'project_id, address_hash, frequency_cap_remaining IS NOT NULL')} > frequency_cap_remaining`;
const turn = turnOf(rankAfter('by_cap', 'slow_destination, project_id, lane, needs_turn'));
const overWarmUp = isOverWarmUp(rankAfter('by_turn', 'project_id, warm_up_domain, is_exempt'));
const isOverSource = `${rankAfter('by_warm_up', 'project_id, source_type, is_exempt')} > remaining_of_source`;

// One check after the other. Turns at slowed destinations come before limits, because they keep a message back
// for the shortest time (docs/decisions/0026, docs/decisions/0027).
const checks = (warmUp: WarmUp | null): string => `
  capped AS (
    SELECT *, ${checkAfter('by_rules', { frequency_cap: isOverCap })} AS by_cap FROM checked
  ), with_turns AS (
    SELECT *, CASE WHEN by_cap = 'ok' AND needs_turn THEN ${turn} END AS turn_at FROM capped
  ), slowed_down AS (
    SELECT *, ${checkAfter('by_cap', { slowed: isTurnAhead('turn_at') })} AS by_turn FROM with_turns
  ), warmed_up AS (
    SELECT *, ${warmUp ? checkAfter('by_turn', { warming_up: `NOT is_exempt AND ${overWarmUp}` }) : 'by_turn'} AS by_warm_up FROM slowed_down
  ), limited_by_source AS (
    SELECT *, ${checkAfter('by_warm_up', { over_source: `NOT is_exempt AND ${isOverSource}` })} AS by_source FROM warmed_up
  ), ranked AS (
    SELECT *, ${rankAfter('by_source', 'project_id, is_exempt')} AS rank FROM limited_by_source
  ), limited AS (
    SELECT *, ${checkAfter('by_source', {
      over_month: 'NOT is_exempt AND rank > remaining_of_month',
      over_day: 'NOT is_exempt AND rank > remaining_of_day',
    })} AS by_allowance FROM ranked
  ), decided AS (
    SELECT *, CASE WHEN by_allowance IN ('over_source', 'over_month', 'over_day') THEN 'quota' ELSE by_allowance END AS decision,
      CASE WHEN by_allowance IN ('over_source', 'over_month') THEN ${nextMonth} ELSE ${nextDay} END AS until
    FROM limited
  )`;

const markSql = (warmUp: WarmUp | null): string => `
  WITH requested AS (
    SELECT * FROM ${columns.unnest('r', 2)}
  ), ${usageOfLimited}, ${slowedDestinations(providerKind)}, checked AS (
    SELECT r.row_index, r.lease_token, r.address_hash, ${remainingOfFrequencyCap} AS frequency_cap_remaining, ${quietWaitMs} AS quiet_wait_ms, r.project_id, r.email_id, r.position, ${countedSource('r.source_type')} AS source_type, d.lane, ${isExempt} AS is_exempt, usage.when_exhausted,
      ${remainingOfSource(countedSource('r.source_type'))} AS remaining_of_source, ${remainingOfMonth} AS remaining_of_month, ${remainingOfDay} AS remaining_of_day,
      ${warmUp ? 'warm_up.domain AS warm_up_domain, warm_up.left_today AS warm_up_left' : 'NULL::text AS warm_up_domain, NULL::float8 AS warm_up_left'},
      ${slowDownColumns}, slow.destination IS NOT NULL AND NOT d.has_turn AND NOT (${isSimulated}) AS needs_turn,
      CASE
        WHEN d.state <> 'CLAIMED' OR d.lease_token <> r.lease_token OR d.worker_id IS DISTINCT FROM $1 THEN 'claim_lost'
        ${markRules.map(({ decision, applies }) => `WHEN ${applies} THEN '${decision}'`).join('\n        ')}
        ELSE 'ok'
      END AS by_rules
    FROM requested r ${markJoins} ${slowDownJoins(providerKind)} ${warmUp ? warmUpJoin(warmUp) : ''}
  ), ${checks(warmUp)}, marked AS (
    UPDATE deliveries d SET state = 'HANDOFF', uses_allowance = d.uses_allowance OR NOT decided.is_exempt FROM decided
    WHERE d.project_id = decided.project_id AND d.email_id = decided.email_id AND d.position = decided.position
      AND decided.decision = 'ok' AND d.state = 'CLAIMED' AND d.lease_token = decided.lease_token
      AND EXISTS (SELECT 1 FROM workers WHERE id = $1 AND expires_at > now())
    RETURNING decided.row_index, decided.project_id, decided.email_id, decided.address_hash, decided.frequency_cap_remaining, decided.source_type, decided.warm_up_domain, decided.is_exempt
  ), used AS (
    ${addUsage('SELECT project_id, source_type FROM marked WHERE NOT is_exempt')}
  ), marketing AS (
    ${addMarketingHandOffs('SELECT project_id, address_hash, email_id FROM marked WHERE frequency_cap_remaining IS NOT NULL')}
  ), turns AS (
    ${keepTurns(providerKind, `SELECT slow_destination, project_id, lane, turn_at FROM decided WHERE ${isReserved('turn_at')}`)}
  )${warmUp ? `, counted_warm_ups AS (${addWarmUps('SELECT project_id, warm_up_domain FROM marked WHERE NOT is_exempt')})` : ''}`;

/** The row of the pace, which all marks share, is locked after everything that belongs to one project: the condition always holds, and makes Postgres run those statements first. */
const pacedCount = (warmUp: WarmUp | null): string =>
  `SELECT count(*) FROM marked WHERE (SELECT count(*) FROM used) + (SELECT count(*) FROM turns)${warmUp ? ' + (SELECT count(*) FROM counted_warm_ups)' : ''} >= 0`;
