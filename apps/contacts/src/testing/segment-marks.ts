import type { Database } from '@posthorn/database';

/** Enables marks as in a project with a DYNAMIC segment, and records them, because upkeep removes them. */
export async function watchMarks(database: Database, projectId: string): Promise<() => Promise<string[]>> {
  await database.query(`CREATE TABLE IF NOT EXISTS seen_marks (LIKE segment_dirty)`);
  await database.query(
    `CREATE OR REPLACE FUNCTION see_mark() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO seen_marks VALUES (NEW.*); RETURN NEW; END'`,
  );
  await database.query(
    `CREATE OR REPLACE TRIGGER see_marks BEFORE INSERT ON segment_dirty FOR EACH ROW EXECUTE FUNCTION see_mark()`,
  );
  await database.query(`INSERT INTO segment_watches (project_id) VALUES ($1) ON CONFLICT DO NOTHING`, [
    projectId,
  ]);
  return async () => {
    const rows = await database.query<{ id: string }>(
      `SELECT contact_id AS id FROM seen_marks WHERE project_id = $1 ORDER BY seen_marks.id`,
      [projectId],
    );
    return rows.map(({ id }) => id);
  };
}
