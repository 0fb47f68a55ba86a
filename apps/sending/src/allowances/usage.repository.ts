import type { SourceType, UsageLimit, WhenExhausted } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import {
  countColumns,
  isLimited,
  leftOfDay,
  leftOfMonth,
  leftOfSource,
  limitColumns,
  nextDay,
  nextMonth,
  sentThisMonth,
  sentThisMonthBy,
  sentToday,
} from './allowance-sql.js';

export interface UsageRecord {
  projectId: string;
  whenExhausted: WhenExhausted;
  limits: Record<UsageLimit, number | null>;
  sent: Record<UsageLimit, number>;
  nextDay: Date;
  nextMonth: Date;
  /** By limit: the period whose warning was sent, and its percentage. */
  warned: Partial<Record<UsageLimit, string>>;
}

/** What may still be sent; null without a limit. */
export interface Allowed {
  left: number | null;
  whenExhausted: WhenExhausted;
}

const sources = Object.keys(countColumns) as SourceType[];
const limits = Object.entries(limitColumns) as [UsageLimit, string][];

const recordColumns = `
  usage.project_id AS "projectId", coalesce(usage.when_exhausted, 'FAIL') AS "whenExhausted", coalesce(usage.warned, '{}') AS warned,
  json_build_object(${limits.map(([limit, column]) => `'${limit}', usage.${column}`).join(', ')}) AS limits,
  json_build_object('MONTHLY', ${sentThisMonth}, 'DAILY', ${sentToday},
    ${sources.map((source) => `'${source}', ${sentThisMonthBy(source)}`).join(', ')}) AS sent,
  ${nextDay} AS "nextDay", ${nextMonth} AS "nextMonth"`;

/** At four fifths of one of its limits, or beyond. */
const isNearLimit = [
  `${leftOfMonth} <= usage.monthly_limit / 5`,
  `${leftOfDay} <= usage.daily_limit / 5`,
  ...sources.map((source) => `${leftOfSource(`'${source}'`)} <= usage.${limitColumns[source]} / 5`),
].join(' OR ');

export class UsageRepository {
  constructor(private readonly database: Database) {}

  async get(projectId: string): Promise<UsageRecord> {
    const [row] = await this.database.query<UsageRecord>(
      `SELECT ${recordColumns} FROM (SELECT $1::uuid AS project_id) AS r LEFT JOIN project_usage usage USING (project_id)`,
      [projectId],
    );
    return row!;
  }

  async allowed(projectId: string, source: SourceType): Promise<Allowed> {
    const [row] = await this.database.query<Allowed>(
      `SELECT least(${leftOfSource('$2')}, ${leftOfMonth}, ${leftOfDay})::int AS left, when_exhausted AS "whenExhausted" FROM project_usage usage WHERE project_id = $1`,
      [projectId, source],
    );
    return row ?? { left: null, whenExhausted: 'FAIL' };
  }

  async setLimit(projectId: string, limit: UsageLimit, messages: number | null): Promise<void> {
    const column = limitColumns[limit];
    await this.database.query(
      `INSERT INTO project_usage (project_id, ${column}) VALUES ($1, $2) ON CONFLICT (project_id) DO UPDATE SET ${column} = excluded.${column}`,
      [projectId, messages],
    );
  }

  async setWhenExhausted(projectId: string, whenExhausted: WhenExhausted): Promise<void> {
    await this.database.query(
      `INSERT INTO project_usage (project_id, when_exhausted) VALUES ($1, $2) ON CONFLICT (project_id) DO UPDATE SET when_exhausted = excluded.when_exhausted`,
      [projectId, whenExhausted],
    );
  }

  /** In the order of their ids, after the given one. */
  async nearLimits(after: string, limit: number): Promise<UsageRecord[]> {
    return this.database.query<UsageRecord>(
      `SELECT ${recordColumns} FROM project_usage usage
       WHERE ${isLimited} AND project_id > $1 AND (${isNearLimit}) ORDER BY project_id LIMIT $2 FOR UPDATE`,
      [after, limit],
    );
  }

  async setWarned(projectId: string, warned: UsageRecord['warned']): Promise<void> {
    await this.database.query(`UPDATE project_usage SET warned = $2 WHERE project_id = $1`, [
      projectId,
      JSON.stringify(warned),
    ]);
  }

  /** Mail that waits for the next period becomes due, and is checked again. */
  async release(projectId: string, limit: number): Promise<number> {
    const rows = await this.database.query(
      `UPDATE deliveries d SET due_at = now(), waits_for_allowance = false
       FROM (SELECT project_id, email_id, position FROM deliveries
             WHERE project_id = $1 AND state = 'QUEUED' AND waits_for_allowance ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED) AS chosen
       WHERE d.project_id = chosen.project_id AND d.email_id = chosen.email_id AND d.position = chosen.position RETURNING 1`,
      [projectId, limit],
    );
    return rows.length;
  }
}
