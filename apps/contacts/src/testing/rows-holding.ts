import type { Database } from '@posthorn/database';

/** The tables that contain a text, in any case. */
export async function rowsHolding(database: Database, texts: string): Promise<string[]> {
  const tables = await database.query<{ name: string }>(
    `SELECT format('%I', tablename) AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`,
  );
  const holding: string[] = [];
  for (const { name } of tables) {
    const found = await database.query(
      `SELECT FROM ${name} AS content WHERE strpos(lower(to_jsonb(content)::text), lower($1)) > 0 LIMIT 1`,
      [texts],
    );
    if (found.length > 0) holding.push(name);
  }
  return holding;
}
