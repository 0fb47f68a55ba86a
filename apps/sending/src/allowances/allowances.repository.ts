import type { EmailCategory } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';

export class AllowancesRepository {
  constructor(private readonly database: Database) {}

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
