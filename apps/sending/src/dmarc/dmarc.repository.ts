import type { DmarcCounts } from '@posthorn/contracts';
import type { DmarcPolicy, DmarcReport } from '@posthorn/mail';
import { columnsOf, type Database } from '@posthorn/database';

export const measures = [
  'messages',
  'passed',
  'dkimAligned',
  'spfAligned',
  'quarantined',
  'rejected',
] as const satisfies readonly (keyof DmarcCounts)[];

export interface CountedSource extends DmarcCounts {
  source: string;
  signedBy: string;
  returnPath: string;
}

export interface NewReport extends Pick<DmarcReport, 'reporter' | 'reportId' | 'policy'> {
  /** A sending domain of the project. */
  domain: string;
  day: Date;
  sources: readonly CountedSource[];
}

export interface FoundSource extends CountedSource {
  domain: string;
}

export interface FoundReports {
  domain: string;
  reports: number;
  reporters: string[];
  policy: DmarcPolicy;
  lastReportAt: Date;
}

interface Range {
  from: Date;
  to: Date;
}

const columnOf = (measure: string): string =>
  measure.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const counts = measures.map(columnOf);

const rows = columnsOf<CountedSource>([
  { column: 'source', type: 'text', value: ({ source }) => source },
  { column: 'signed_by', type: 'text', value: ({ signedBy }) => signedBy },
  { column: 'return_path', type: 'text', value: ({ returnPath }) => returnPath },
  ...measures.map((measure) => ({
    column: columnOf(measure),
    type: 'bigint' as const,
    value: (source: CountedSource) => source[measure],
  })),
]);

const maxReporters = 20;
const keptDays = 400;

export class DmarcRepository {
  constructor(private readonly database: Database) {}

  async domainsOf(projectId: string): Promise<string[]> {
    const found = await this.database.query<{ domain: string }>(
      `SELECT domain FROM domains WHERE project_id = $1 ORDER BY domain`,
      [projectId],
    );
    return found.map(({ domain }) => domain);
  }

  /** Of the last day. */
  async countReceived(projectId: string): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM dmarc_reports WHERE project_id = $1 AND received_at > now() - interval '1 day'`,
      [projectId],
    );
    return row!.count;
  }

  /** False where it is known. */
  async add(
    projectId: string,
    { domain, reporter, reportId, policy, day, sources }: NewReport,
  ): Promise<boolean> {
    const [added] = await this.database.query(
      `WITH report AS (
         INSERT INTO dmarc_reports (project_id, domain, reporter, report_id, policy, day)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING 1
       ), counted AS (
         INSERT INTO dmarc_sources AS known (project_id, day, domain, source, signed_by, return_path, ${counts.join(', ')})
         SELECT $1::uuid, $6::date, $2::text, s.source, s.signed_by, s.return_path, ${counts.map((each) => `s.${each}`).join(', ')}
         FROM report, ${rows.unnest('s', 7)} ORDER BY s.source, s.signed_by, s.return_path
         ON CONFLICT (project_id, day, domain, source, signed_by, return_path)
           DO UPDATE SET ${counts.map((each) => `${each} = known.${each} + excluded.${each}`).join(', ')}
       ) SELECT * FROM report`,
      [projectId, domain, reporter, reportId, policy, dayOf(day), ...rows.values([...sources])],
    );
    return added !== undefined;
  }

  reports(projectId: string, { from, to }: Range): Promise<FoundReports[]> {
    return this.database.query(
      `SELECT domain, count(*)::int AS reports, (array_agg(DISTINCT reporter))[1:${maxReporters}] AS reporters,
         (array_agg(policy ORDER BY day DESC, received_at DESC))[1] AS policy, max(received_at) AS "lastReportAt"
       FROM dmarc_reports WHERE project_id = $1 AND day BETWEEN $2 AND $3 GROUP BY domain`,
      [projectId, dayOf(from), dayOf(to)],
    );
  }

  /** The largest of each domain, and in a row without a source what all of the domain have together. */
  sources(
    projectId: string,
    { from, to }: Range,
    limit: number,
  ): Promise<(FoundSource & { isTotal: boolean })[]> {
    return this.database.query(
      `SELECT domain, coalesce(source, '') AS source, coalesce(signed_by, '') AS "signedBy", coalesce(return_path, '') AS "returnPath", is_total AS "isTotal",
         ${measures.map((measure) => `${columnOf(measure)} AS "${measure}"`).join(', ')}
       FROM (
         SELECT domain, source, signed_by, return_path, grouping(source) = 1 AS is_total,
           ${counts.map((each) => `sum(${each})::bigint AS ${each}`).join(', ')},
           row_number() OVER (PARTITION BY domain, grouping(source) ORDER BY sum(messages) DESC, source, signed_by, return_path) AS place
         FROM dmarc_sources WHERE project_id = $1 AND day BETWEEN $2 AND $3
         GROUP BY GROUPING SETS ((domain), (domain, source, signed_by, return_path))
       ) AS added WHERE place <= $4 ORDER BY domain, is_total DESC, place`,
      [projectId, dayOf(from), dayOf(to), limit],
    );
  }

  /** True where more may be left. */
  async deleteOld(limit: number): Promise<boolean> {
    let isMore = false;
    for (const table of ['dmarc_reports', 'dmarc_sources']) {
      const deleted = await this.database.query(
        `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
           SELECT ctid FROM ${table} WHERE day < (now() AT TIME ZONE 'UTC')::date - $1::int LIMIT $2)) RETURNING 1`,
        [keptDays, limit],
      );
      isMore ||= deleted.length === limit;
    }
    return isMore;
  }
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);
