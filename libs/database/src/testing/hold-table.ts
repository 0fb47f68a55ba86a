import type { Database } from '../database.js';

/** Another session that reads the table and all its partitions, as pg_dump does; returns how to end it. */
export async function holdTable(database: Database, table: string): Promise<() => Promise<void>> {
  const left = Promise.withResolvers<void>();
  const holds = Promise.withResolvers<void>();
  const reading = database.transaction(async () => {
    await database.query(`LOCK TABLE ${table} IN ACCESS SHARE MODE`);
    holds.resolve();
    await left.promise;
  });
  await Promise.race([holds.promise, reading]);
  return () => {
    left.resolve();
    return reading;
  };
}
