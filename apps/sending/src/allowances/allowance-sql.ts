import { lanes } from '../delivery/delivery.entity.js';
import { simulatorDomain, type SourceType, type UsageLimit } from '@posthorn/contracts';

const thisMonth = `date_trunc('month', now() AT TIME ZONE 'UTC')::date`;
export const today = `(now() AT TIME ZONE 'UTC')::date`;
/** When the next day or month begins. */
export const nextDay = `((${today} + 1)::timestamp AT TIME ZONE 'UTC')`;
export const nextMonth = `((${thisMonth} + interval '1 month') AT TIME ZONE 'UTC')`;

/** The columns of `project_usage` that count a month by source. */
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

const ofThisMonth = (count: string): string =>
  `(CASE WHEN usage.month = ${thisMonth} THEN ${count} ELSE 0 END)`;

/** Over the alias `usage` of `project_usage`: what was sent. */
export const sentThisMonthBy = (source: SourceType): string => ofThisMonth(`usage.${countColumns[source]}`);
export const sentThisMonth = ofThisMonth(
  `${sources.map(([, column]) => `usage.${column}::bigint`).join(' + ')}`,
);
export const sentToday = `(CASE WHEN usage.day = ${today} THEN usage.sent_today ELSE 0 END)`;

/** What is left of a limit; null without one. `source` is an expression that names the source of a message. */
export const leftOfSource = (source: string): string =>
  `(CASE ${source} ${sources
    .map(([name]) => `WHEN '${name}' THEN usage.${limitColumns[name]} - ${sentThisMonthBy(name)}`)
    .join(' ')} END)`;
export const leftOfMonth = `(usage.monthly_limit - ${sentThisMonth})`;
export const leftOfDay = `(usage.daily_limit - ${sentToday})`;

/** Marks of such a project lock its row before they read it. */
export const isLimited = `num_nonnulls(${Object.values(limitColumns)
  .map((column) => `usage.${column}`)
  .join(', ')}) > 0`;

/** Over `d` for the delivery: it never leaves the machine. */
export const isSimulated = `d.recipient LIKE '%@${simulatorDomain}'`;
/** Mail that was counted before, or that never leaves the machine, is free. */
export const isFree = `(d.counted OR ${isSimulated})`;

/** By which a message counts: marketing mail that is no workflow's counts with the campaigns. */
export const countedSource = (source: string): string =>
  `CASE WHEN ${source} = 'TRANSACTIONAL' AND d.lane = ${lanes.bulk} THEN 'CAMPAIGN' ELSE ${source} END`;

/** Adds the rows of a query with the columns project_id and source_type to the counts; in the order of projects, so that marks do not deadlock. */
export const addUsage = (counted: string): string => `
    INSERT INTO project_usage AS usage (project_id, month, day, sent_today, ${sources.map(([, column]) => column).join(', ')})
    SELECT project_id, ${thisMonth}, ${today}, count(*),
      ${sources.map(([name]) => `count(*) FILTER (WHERE source_type = '${name}')`).join(', ')}
    FROM (${counted}) AS counted GROUP BY project_id ORDER BY project_id
    ON CONFLICT (project_id) DO UPDATE SET month = greatest(usage.month, excluded.month), day = greatest(usage.day, excluded.day),
      -- A transaction that began before midnight may come after one that began later.
      sent_today = CASE WHEN usage.day >= excluded.day THEN usage.sent_today ELSE 0 END + excluded.sent_today,
      ${sources.map(([, column]) => `${column} = CASE WHEN usage.month >= excluded.month THEN usage.${column} ELSE 0 END + excluded.${column}`).join(', ')}
    RETURNING 1`;
