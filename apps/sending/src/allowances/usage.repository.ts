import type { SourceType, UsageLimit, WhenExhausted } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { deliveryWindowHours } from '../delivery/delivery-states.js';
import {
  countColumns,
  isLimited,
  remainingOfDay,
  remainingOfMonth,
  remainingOfSource,
  limitColumns,
  nextDay,
  nextMonth,
  sentBy,
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
  usage.project_id AS "projectId", coalesce(usage.when_exhausted, 'FAIL') AS "whenExhausted", coalesce((SELECT w.warned FROM usage_warnings w WHERE w.project_id = usage.project_id), '{}') AS warned,
  json_build_object(${limits.map(([limit, column]) => `'${limit}', usage.${column}`).join(', ')}) AS limits,
  json_build_object('MONTHLY', ${sentThisMonth}, 'DAILY', ${sentToday},
    ${sources.map((source) => `'${source}', ${sentThisMonthBy(source)}`).join(', ')}) AS sent,
  ${nextDay} AS "nextDay", ${nextMonth} AS "nextMonth"`;

const isNearLimit = [
  `${remainingOfMonth} <= usage.monthly_limit / 5`,
  `${remainingOfDay} <= usage.daily_limit / 5`,
  ...sources.map((source) => `${remainingOfSource(`'${source}'`)} <= usage.${limitColumns[source]} / 5`),
].join(' OR ');

export class UsageRepository {
  constructor(private readonly database: Database) {}

  async get(projectId: string): Promise<UsageRecord> {
    const [row] = await this.database.query<UsageRecord>(
      `SELECT ${recordColumns} FROM (SELECT $1::uuid AS project_id) AS r LEFT JOIN project_usage usage USING (project_id)
       LEFT JOIN (${sentBy('SELECT $1::uuid')}) AS usage_so_far USING (project_id)`,
      [projectId],
    );
    return row!;
  }

  /** For mail of one source, or as far as the limits for all mail allow. */
  async allowed(projectId: string, source: SourceType | null): Promise<Allowed> {
    const [row] = await this.database.query<Allowed>(
      `SELECT least(${remainingOfSource('$2::text')}, ${remainingOfMonth}, ${remainingOfDay})::int AS left, when_exhausted AS "whenExhausted" FROM project_usage usage
       LEFT JOIN (${sentBy('SELECT $1::uuid')}) AS usage_so_far USING (project_id) WHERE usage.project_id = $1`,
      [projectId, source],
    );
    return row ?? { left: null, whenExhausted: 'FAIL' };
  }

  /** Whether more may be sent than before. */
  async setLimit(projectId: string, limit: UsageLimit, messages: number | null): Promise<boolean> {
    const column = limitColumns[limit];
    const [row] = await this.database.query<{ isRaised: boolean }>(
      `INSERT INTO project_usage (project_id, ${column}) VALUES ($1, $2) ON CONFLICT (project_id) DO UPDATE SET ${column} = excluded.${column}
       RETURNING coalesce(old.${column} < new.${column}, new.${column} IS NULL AND old.${column} IS NOT NULL) AS "isRaised"`,
      [projectId, messages],
    );
    return row!.isRaised;
  }

  async setWhenExhausted(projectId: string, whenExhausted: WhenExhausted): Promise<boolean> {
    const [row] = await this.database.query<{ isOther: boolean }>(
      `INSERT INTO project_usage (project_id, when_exhausted) VALUES ($1, $2) ON CONFLICT (project_id) DO UPDATE SET when_exhausted = excluded.when_exhausted
       RETURNING coalesce(old.when_exhausted, 'FAIL') <> new.when_exhausted AS "isOther"`,
      [projectId, whenExhausted],
    );
    return row!.isOther;
  }

  async nearLimits(after: string, limit: number): Promise<UsageRecord[]> {
    return this.database.query<UsageRecord>(
      `WITH page AS MATERIALIZED (SELECT * FROM project_usage usage WHERE ${isLimited} AND project_id > $1)
       SELECT ${recordColumns} FROM page usage LEFT JOIN (${sentBy('SELECT project_id FROM page')}) AS usage_so_far USING (project_id)
       WHERE ${isNearLimit} ORDER BY usage.project_id LIMIT $2`,
      [after, limit],
    );
  }

  /** False where another process has just done so. */
  async setWarned(
    { projectId, warned: before }: UsageRecord,
    warned: UsageRecord['warned'],
  ): Promise<boolean> {
    const rows = await this.database.query(
      `INSERT INTO usage_warnings AS w (project_id, warned) VALUES ($1, $2)
       ON CONFLICT (project_id) DO UPDATE SET warned = excluded.warned WHERE w.warned = $3 RETURNING 1`,
      [projectId, JSON.stringify(warned), JSON.stringify(before)],
    );
    return rows.length > 0;
  }

  /** Mail that waits for the next period becomes due, and is checked again. */
  async release(projectId: string, limit: number): Promise<number> {
    const rows = await this.database.query(
      `UPDATE deliveries d SET due_at = now(), expires_at = now() + interval '${deliveryWindowHours} hours', waits_for_next_period = false
       FROM (SELECT project_id, email_id, position FROM deliveries
             WHERE project_id = $1 AND state = 'QUEUED' AND waits_for_next_period ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED) AS chosen
       WHERE d.project_id = chosen.project_id AND d.email_id = chosen.email_id AND d.position = chosen.position RETURNING 1`,
      [projectId, limit],
    );
    return rows.length;
  }
}
