import { finding, type Finding } from '../../judging/finding.js';

/** Sums as they are kept and as they are counted anew, in one snapshot of the database; null where there are none. */
export interface CountsRow {
  key: string;
  kept: Record<string, number> | null;
  counted: Record<string, number> | null;
}

/** One look at all sums of a project. */
export interface CountsLook {
  at: number;
  rows: readonly CountsRow[];
}

const bits = { delivered: 1, opened: 2, clicked: 4, bounced: 8, complained: 16, unsubscribed: 32 };
const count = (condition: string): string => `(count(*) FILTER (WHERE ${condition}))::int`;
const reported = (name: keyof typeof bits): string => `${count(`reported & ${bits[name]} <> 0`)} AS ${name}`;
const sent = `${count(`outcome = 'SENT'`)} AS sent`;

/** The sums of campaigns and of their variants against the rows of the ledger: one statement, so that all of it is one snapshot. */
export const countsSql = `
  WITH kept AS (
    SELECT campaign_id::text AS key, to_jsonb(n) - '{project_id,campaign_id}'::text[] AS sums FROM campaign_counts n WHERE project_id = $1
    UNION ALL SELECT campaign_id || ' variant ' || variant, to_jsonb(n) - '{project_id,campaign_id,variant}'::text[] FROM variant_counts n WHERE project_id = $1
  ), counted AS (
    SELECT campaign_id::text AS key, to_jsonb(n) - 'campaign_id' AS sums FROM (
      SELECT campaign_id, count(*)::int AS total, ${count(`outcome = 'QUEUED' AND handed_over`)} AS in_hand, ${sent},
        ${count(`outcome = 'SKIPPED'`)} AS skipped, ${count(`outcome = 'FAILED'`)} AS failed,
        ${(Object.keys(bits) as (keyof typeof bits)[]).map(reported).join(', ')}
      FROM recipients WHERE project_id = $1 GROUP BY campaign_id) AS n
    UNION ALL SELECT campaign_id || ' variant ' || variant, to_jsonb(n) - '{campaign_id,variant}'::text[] FROM (
      SELECT campaign_id, variant, ${count('handed_over')} AS recipients, ${sent}, ${reported('opened')}, ${reported('clicked')}
      FROM recipients WHERE project_id = $1 AND variant IS NOT NULL GROUP BY campaign_id, variant) AS n
  )
  SELECT key, kept.sums AS kept, counted.sums AS counted FROM kept FULL JOIN counted USING (key) ORDER BY key`;

/** Sums that are missing are those of nobody. */
export function judgeCounts(looks: readonly CountsLook[], owner: string): Finding {
  return finding(
    'G11',
    `sums of ${owner} that differ from a recount of its rows, at any instant of the run`,
    looks.length,
    looks.flatMap(({ rows }) => rows.map(difference)),
  );
}

function difference({ key, kept, counted }: CountsRow): string | null {
  const all = new Set([...Object.keys(kept ?? {}), ...Object.keys(counted ?? {})]);
  const differing = [...all].filter((name) => (kept?.[name] ?? 0) !== (counted?.[name] ?? 0));
  if (differing.length === 0) return null;
  const of = (sums: CountsRow['kept']) => differing.map((name) => `${name} ${sums?.[name] ?? 0}`).join(', ');
  return `${key}: ${of(kept)}; recounted ${of(counted)}`;
}
