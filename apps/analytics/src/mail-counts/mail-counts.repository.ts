import type { Database } from '@posthorn/database';
import { openKindsSql, unfoldedSql } from './count-deltas.repository.js';
import { measures, sumsOf, type CountKind, type Measure } from './measures.js';

export type FullCounts = Record<Measure, number>;

export interface CountsOfKey extends FullCounts {
  /** Of a link or tag its text; `''` for all others of its owner. */
  key: string;
}

export interface CountsAt extends FullCounts {
  at: Date;
}

export interface CountRange {
  hourly: boolean;
  kind: CountKind;
  owner?: string;
  /** All keys by default. */
  key?: string;
  from: Date;
  to: Date;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export class MailCountsRepository {
  constructor(private readonly database: Database) {}

  /** By day or hour; those without events are missing. */
  byTime(projectId: string, range: CountRange): Promise<CountsAt[]> {
    return this.database.query(
      `SELECT at, ${sumsOf('c')} FROM (${rangeSql(range)}) AS c GROUP BY at ORDER BY at`,
      parametersOf(projectId, range),
    );
  }

  /** The most mail, or engagement where there is none, first. */
  byKey(projectId: string, range: CountRange, limit: number): Promise<CountsOfKey[]> {
    return this.database.query(
      `SELECT ${textOf('summed')} AS key, ${measures.join(', ')} FROM (
         SELECT kind, owner, key, ${sumsOf('c')} FROM (${rangeSql(range)}) AS c GROUP BY kind, owner, key
       ) AS summed ORDER BY sent DESC, clicked DESC, raw_clicks DESC, key LIMIT ${limit}`,
      parametersOf(projectId, range),
    );
  }

  async total(projectId: string, range: CountRange): Promise<FullCounts> {
    const [row] = await this.database.query<FullCounts>(
      `SELECT ${measures.map((measure) => `coalesce(sum(${measure}), 0)::bigint AS ${measure}`).join(', ')} FROM (${rangeSql(range)}) AS c`,
      parametersOf(projectId, range),
    );
    return row!;
  }
}

const columns = `kind, owner, at, key, ${measures.join(', ')}`;

/** One range of the primary key, and the little that is not folded yet. */
function rangeSql({ key }: CountRange): string {
  const within = `kind = $3 AND owner = $4 AND at BETWEEN $5 AND $6${key === undefined ? '' : ` AND key = $7`}`;
  return `
    SELECT ${columns} FROM mail_counts WHERE project_id = $1 AND hourly = $2 AND ${within}
    UNION ALL
    SELECT ${columns} FROM (${unfoldedSql('$2', key === undefined ? `''` : 'md5(d.key)')} AND kind = $3 AND owner = $4) AS unfolded WHERE ${within}`;
}

function parametersOf(projectId: string, { hourly, kind, owner = '', key, from, to }: CountRange): unknown[] {
  const length = hourly ? hourMs : dayMs;
  const first = new Date(from.getTime() - (from.getTime() % length));
  return [projectId, hourly, kind, owner, first, to, ...(key === undefined ? [] : [key])];
}

const textOf = (
  row: string,
): string => `CASE WHEN ${row}.kind NOT IN (${openKindsSql}) THEN ${row}.key ELSE coalesce(
  (SELECT k.text FROM counted_keys k WHERE k.project_id = $1 AND k.kind = ${row}.kind AND k.owner = ${row}.owner AND k.key = ${row}.key), '') END`;
