import { lanes } from '../delivery/delivery-states.js';
import { simulatorDomain, type SourceType, type UsageLimit } from '@posthorn/contracts';

const thisMonth = `date_trunc('month', now() AT TIME ZONE 'UTC')::date`;
export const today = `(now() AT TIME ZONE 'UTC')::date`;
export const nextDay = `((${today} + 1)::timestamp AT TIME ZONE 'UTC')`;
export const nextMonth = `((${thisMonth} + interval '1 month') AT TIME ZONE 'UTC')`;

export const countColumns: Readonly<Record<SourceType, string>> = {
  TRANSACTIONAL: 'transactional',
  CAMPAIGN: 'campaign',
  WORKFLOW: 'workflow',
  INBOUND: 'inbound',
};
export const limitColumns: Readonly<Record<UsageLimit, string>> = {
  MONTHLY: 'monthly_limit',
  DAILY: 'daily_limit',
  TRANSACTIONAL: 'transactional_limit',
  CAMPAIGN: 'campaign_limit',
  WORKFLOW: 'workflow_limit',
  INBOUND: 'inbound_limit',
};
const sources = Object.entries(countColumns) as [SourceType, string][];

/** Counts are spread over rows, so that marks at the same time do not wait for each other's commit. */
const shards = 16;

export const sentBy = (projects: string): string => `
    SELECT c.project_id, ${sources
      .map(
        ([, column]) => `sum(CASE WHEN c.month = ${thisMonth} THEN c.${column} ELSE 0 END)::int AS ${column}`,
      )
      .join(', ')},
      sum(CASE WHEN c.day = ${today} THEN c.sent_today ELSE 0 END)::int AS sent_today
    FROM usage_counts c WHERE c.project_id IN (${projects}) GROUP BY c.project_id`;

export const sentThisMonthBy = (source: SourceType): string =>
  `coalesce(usage_so_far.${countColumns[source]}, 0)`;
export const sentThisMonth = `(${sources.map(([source]) => sentThisMonthBy(source)).join(' + ')})`;
export const sentToday = `coalesce(usage_so_far.sent_today, 0)`;

/** What is left of a limit of `usage`; null without one. `source` is an expression that names the source of a message. */
export const remainingOfSource = (source: string): string =>
  `(CASE ${source} ${sources
    .map(([name]) => `WHEN '${name}' THEN usage.${limitColumns[name]} - ${sentThisMonthBy(name)}`)
    .join(' ')} END)`;
export const remainingOfMonth = `(usage.monthly_limit - ${sentThisMonth})`;
export const remainingOfDay = `(usage.daily_limit - ${sentToday})`;

/** Marks of such a project lock its row before they read it. */
export const isLimited = `num_nonnulls(${Object.values(limitColumns)
  .map((column) => `usage.${column}`)
  .join(', ')}) > 0`;

/** A part of a statement with the query `requested`: what its projects have sent, as far as they have limits. */
export const usageOfLimited = `usage_so_far AS MATERIALIZED (${sentBy(
  `SELECT usage.project_id FROM project_usage usage WHERE usage.project_id IN (SELECT project_id FROM requested) AND ${isLimited}`,
)})`;

/** Over `d` for the delivery: it never leaves the machine. */
export const isSimulated = `d.recipient LIKE '%@${simulatorDomain}'`;
/** Exempt from allowances and from the warm-up: mail that was counted before, or that never leaves the machine. */
export const isExempt = `(d.uses_allowance OR ${isSimulated})`;

/** By which a message counts: marketing mail that is no workflow's counts with the campaigns. */
export const countedSource = (source: string): string =>
  `CASE WHEN ${source} = 'TRANSACTIONAL' AND d.lane = ${lanes.bulk} THEN 'CAMPAIGN' ELSE ${source} END`;

/** Adds the rows of a query with the columns project_id and source_type to the counts; in the order of projects, so that marks do not deadlock. */
export const addUsage = (counted: string): string => `
    INSERT INTO usage_counts AS known (project_id, shard, month, day, sent_today, ${sources.map(([, column]) => column).join(', ')})
    SELECT project_id, pg_backend_pid() % ${shards}, ${thisMonth}, ${today}, count(*),
      ${sources.map(([name]) => `count(*) FILTER (WHERE source_type = '${name}')`).join(', ')}
    FROM (${counted}) AS counted GROUP BY project_id ORDER BY project_id
    ON CONFLICT (project_id, shard) DO UPDATE SET month = greatest(known.month, excluded.month), day = greatest(known.day, excluded.day),
      -- A transaction that began before midnight may come after one that began later.
      sent_today = CASE WHEN known.day >= excluded.day THEN known.sent_today ELSE 0 END + excluded.sent_today,
      ${sources.map(([, column]) => `${column} = CASE WHEN known.month >= excluded.month THEN known.${column} ELSE 0 END + excluded.${column}`).join(', ')}
    RETURNING 1`;
