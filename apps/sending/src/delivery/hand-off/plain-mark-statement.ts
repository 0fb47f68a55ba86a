import { columnsOf, type Statement } from '@posthorn/database';
import { addUsage, countedSource, isExempt } from '../../allowances/allowance-sql.js';
import type { Pace } from '../../pacing/pace.js';
import { addressLockKeySql } from '../../suppressions/suppressions.repository.js';
import { leasedDeliveryColumns } from '../delivery-columns.js';
import { lockedNames, type HashedMessageToMark, type MessageToMark } from './mark-statement.js';
import { markRules, needsAllChecks, plainMarkJoins } from './mark-rules.js';

/** As the first part of `lockStatement`: nothing else is locked for mail that nothing limits. */
export function plainLockStatement(messages: MessageToMark[]): Statement {
  const requested = lockedNames(messages);
  return {
    name: 'lock-addresses-plain',
    sql: `SELECT pg_advisory_xact_lock_shared(${addressLockKeySql}) FROM (
        SELECT DISTINCT project_id, email FROM unnest($1::uuid[], $2::text[]) AS r (project_id, email) ORDER BY project_id, email
      ) AS requested`,
    parameters: [requested.map(({ projectId }) => projectId), requested.map(({ email }) => email)],
  };
}

/** The decision is null for a message that needs all checks; it is not marked. */
export function plainMarkStatement(
  workerId: string,
  messages: HashedMessageToMark[],
  { pace, providerKind }: { pace: Pace; providerKind: string },
): Statement {
  const paced = pace.reservation(pacedCount, columns.count + 3);
  return {
    name: `mark-hand-off-plain${paced ? '-paced' : ''}`,
    sql: `${plainMarkSql}${paced ? `, paced AS (${paced.sql})` : ''}
      SELECT checked.row_index AS index, CASE WHEN checked.decision = 'ok' AND marked.row_index IS NULL THEN 'claim_lost' ELSE checked.decision END AS decision,
        NULL::float8 AS "delayMs", false AS "hasTurn", ${paced ? '(SELECT first_slot_ms FROM paced)' : 'NULL::float8'} AS "firstSlotMs"
      FROM checked LEFT JOIN marked USING (row_index)`,
    parameters: [workerId, ...columns.values(messages), providerKind, ...(paced?.parameters ?? [])],
  };
}

const columns = columnsOf<HashedMessageToMark>([
  ...leasedDeliveryColumns,
  { column: 'source_type', type: 'text', value: ({ sourceType }) => sourceType },
  { column: 'category', type: 'text', value: ({ category }) => category },
  { column: 'address_hash', type: 'text', value: ({ addressHash }) => addressHash },
]);

const plainRules = markRules.filter(({ rare }) => !rare);

const plainMarkSql = `
  /* mark-hand-off-plain */
  WITH requested AS (
    SELECT * FROM ${columns.unnest('r', 2)}
  ), checked AS MATERIALIZED (
    SELECT r.row_index, r.lease_token, r.project_id, r.email_id, r.position, ${countedSource('r.source_type')} AS source_type, ${isExempt} AS is_exempt,
      CASE
        WHEN d.state <> 'CLAIMED' OR d.lease_token <> r.lease_token OR d.worker_id IS DISTINCT FROM $1 THEN 'claim_lost'
        WHEN ${needsAllChecks(`$${columns.count + 2}::text`)} THEN NULL
        ${plainRules.map(({ decision, applies }) => `WHEN ${applies} THEN '${decision}'`).join('\n        ')}
        ELSE 'ok'
      END AS decision
    FROM requested r ${plainMarkJoins}
  ), marked AS (
    UPDATE deliveries d SET state = 'HANDOFF', uses_allowance = d.uses_allowance OR NOT checked.is_exempt FROM checked
    WHERE d.project_id = checked.project_id AND d.email_id = checked.email_id AND d.position = checked.position
      AND checked.decision = 'ok' AND d.state = 'CLAIMED' AND d.lease_token = checked.lease_token
      AND EXISTS (SELECT 1 FROM workers WHERE id = $1 AND expires_at > now())
    RETURNING checked.row_index, checked.project_id, checked.source_type, checked.is_exempt
  ), used AS (
    ${addUsage('SELECT project_id, source_type FROM marked WHERE NOT is_exempt')}
  )`;

/** The condition always holds, and makes Postgres lock the row of the pace, which all marks share, after the counts of one project. */
const pacedCount = `SELECT count(*) FROM marked WHERE (SELECT count(*) FROM used) >= 0`;
