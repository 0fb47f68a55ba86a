import { columnsOf, type Database } from '@posthorn/database';
import { reportBits, type Report, type Reported } from './report.js';

export interface ReportedRow extends Report {
  campaignId: string;
  emailId: string;
}

const columns = columnsOf<ReportedRow>([
  { column: 'campaign_id', type: 'uuid', value: ({ campaignId }) => campaignId },
  { column: 'email_id', type: 'uuid', value: ({ emailId }) => emailId },
  { column: 'outcome', type: 'text', value: ({ outcome }) => outcome },
  { column: 'reason', type: 'text', value: ({ reason }) => reason },
  { column: 'bit', type: 'smallint', value: ({ bit }) => bit },
]);

export class ResultsRepository {
  constructor(private readonly database: Database) {}

  // What a row knows already changes nothing, so events may come twice and in any order. Any report shows
  // that the e-mail was handed over, also where the process ended before it could write that down.
  async apply(projectId: string, reports: readonly ReportedRow[]): Promise<void> {
    await this.database.prepared({
      name: 'apply-results',
      sql: applySql,
      parameters: [projectId, ...columns.values(reports)],
    });
  }
}

// An unconfirmed delivery may turn out to have arrived, and sending may have had what was skipped here. A
// provider may refuse what it took first.
const moves = `(
  r.outcome = 'QUEUED'
  OR g.outcome = 'SENT' AND (r.outcome = 'FAILED' AND r.reason = 'delivery_unconfirmed'
    OR r.outcome = 'SKIPPED' AND r.reason IN ('cancelled', 'invalid_recipient', 'topic'))
  OR r.outcome = 'SENT' AND g.outcome = 'FAILED' AND g.reason = 'provider_rejected')`;

/** Of several that come together, which counts. */
const strongest = `coalesce(reason = 'provider_rejected', false) DESC, outcome = 'SENT' DESC`;

const becomes = (outcome: string): string =>
  `count(*) FILTER (WHERE after = '${outcome}') - count(*) FILTER (WHERE before = '${outcome}')`;

const counted: readonly (readonly [string, string])[] = [
  ['in_hand', `-count(*) FILTER (WHERE before = 'QUEUED' AND after <> 'QUEUED' AND was_handed_over)`],
  ['sent', becomes('SENT')],
  ['skipped', becomes('SKIPPED')],
  ['failed', becomes('FAILED')],
  ...(Object.keys(reportBits) as Reported[]).map(
    (name) => [name, `count(*) FILTER (WHERE added & ${reportBits[name]} <> 0)`] as const,
  ),
];

const countedOfVariants = [
  ['recipients', 'count(*) FILTER (WHERE NOT was_handed_over)'] as const,
  ...counted.filter(([name]) => ['sent', 'opened', 'clicked'].includes(name)),
];

const applySql = `
  WITH given AS (
    SELECT campaign_id, email_id, (array_agg(outcome ORDER BY ${strongest}))[1] AS outcome,
      (array_agg(reason ORDER BY ${strongest}))[1] AS reason, bit_or(bit) AS bit
    FROM ${columns.unnest('g', 2)} GROUP BY campaign_id, email_id
  ), held AS (
    SELECT r.campaign_id, r.contact_id, r.email_id FROM given JOIN recipients r USING (campaign_id, email_id) WHERE r.project_id = $1
    ORDER BY r.campaign_id, r.email_id FOR UPDATE OF r
  ), changed AS (
    UPDATE recipients r
    SET outcome = CASE WHEN ${moves} THEN g.outcome ELSE r.outcome END,
        reason = CASE WHEN ${moves} THEN g.reason ELSE r.reason END,
        at = CASE WHEN ${moves} THEN now() ELSE r.at END,
        reported_bits = r.reported_bits | g.bit,
        handed_over = true
    FROM held JOIN given g USING (campaign_id, email_id)
    WHERE r.project_id = $1 AND r.campaign_id = held.campaign_id AND r.contact_id = held.contact_id AND r.email_id = held.email_id
      AND (${moves} OR g.bit & ~r.reported_bits <> 0 OR NOT r.handed_over)
    RETURNING r.campaign_id, old.outcome AS before, r.outcome AS after, old.handed_over AS was_handed_over, r.variant, r.reported_bits & ~old.reported_bits AS added
  ), sums AS (
    SELECT campaign_id, ${counted.map(([name, sql]) => `(${sql})::int AS ${name}`).join(', ')} FROM changed GROUP BY campaign_id
  ), by_variant AS (
    INSERT INTO variant_counts AS known (project_id, campaign_id, variant, ${countedOfVariants.map(([name]) => name).join(', ')})
    SELECT $1::uuid, campaign_id, variant, ${countedOfVariants.map(([, sql]) => `(${sql})::int`).join(', ')}
    FROM changed WHERE variant IS NOT NULL GROUP BY campaign_id, variant ORDER BY campaign_id, variant
    ON CONFLICT (project_id, campaign_id, variant) DO UPDATE SET ${countedOfVariants.map(([name]) => `${name} = known.${name} + excluded.${name}`).join(', ')}
  )
  UPDATE campaign_counts c SET ${counted.map(([name]) => `${name} = c.${name} + s.${name}`).join(', ')}
  FROM (SELECT * FROM sums ORDER BY campaign_id) AS s WHERE c.project_id = $1 AND c.campaign_id = s.campaign_id`;
