import type { Database } from '@posthorn/database';

/** An execution repeats a step of which it lost the answer: at once, or when its service is there again. */
const keptDays = 90;
const deletedWithEach = 2;

/** Effects of workflows that were applied, each with the commit of what it changed. */
export class AppliedEffects {
  constructor(private readonly database: Database) {}

  /** False where it was applied before. The contact is locked, so the same effect is not applied at this instant. */
  async isNew(projectId: string, id: string): Promise<boolean> {
    const rows = await this.database.query(
      `INSERT INTO applied_effects (project_id, id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1`,
      [projectId, id],
    );
    await this.database.query(
      `DELETE FROM applied_effects WHERE (project_id, id) IN (
         SELECT project_id, id FROM applied_effects WHERE applied_at < now() - make_interval(days => ${keptDays})
         ORDER BY applied_at LIMIT ${deletedWithEach} FOR UPDATE SKIP LOCKED)`,
    );
    return rows.length > 0;
  }
}
