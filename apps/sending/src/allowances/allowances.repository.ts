import type { EmailCategory } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { availableSql } from '../delivery/hand-off/mark-rules.js';

export class AllowancesRepository {
  constructor(private readonly database: Database) {}

  /** Hand-offs that are left in this month; null without a limit. */
  async available(projectId: string, category: EmailCategory): Promise<number | null> {
    const [row] = await this.database.query<{ available: number | null }>(
      `SELECT ${availableSql} AS available FROM allowances allowance WHERE project_id = $1 AND category = $2`,
      [projectId, category],
    );
    return row?.available ?? null;
  }

  async set(projectId: string, category: EmailCategory, monthly: number | null): Promise<void> {
    if (monthly === null) {
      await this.database.query(`DELETE FROM allowances WHERE project_id = $1 AND category = $2`, [
        projectId,
        category,
      ]);
    } else {
      await this.database.query(
        `INSERT INTO allowances (project_id, category, monthly, month) VALUES ($1, $2, $3, date_trunc('month', now() AT TIME ZONE 'UTC')::date)
         ON CONFLICT (project_id, category) DO UPDATE SET monthly = excluded.monthly`,
        [projectId, category, monthly],
      );
    }
  }
}
