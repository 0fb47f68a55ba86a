// `bin/check migrations`: runs every service's migrations on an empty database and compares the columns with its entities.
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  migrate,
  openDatabase,
  provisionDatabase,
  type Database,
  type DatabaseOptions,
} from '@posthorn/database';
import { startPostgres } from '@posthorn/dev';
import { columnDifferences } from './column-differences.js';
import { unscopedKeys } from './project-keys.js';

const apps = new URL('../../../apps/', import.meta.url);
const secretKey = 'only-for-the-throwaway-server-of-this-check';

const directory = mkdtempSync(join(tmpdir(), 'posthorn-migrations-'));
// As root, Postgres runs as another user, who must reach its folder.
chmodSync(directory, 0o755);
const postgres = await startPostgres({ dataDirectory: join(directory, 'postgres') });
let wrong = 0;
try {
  for (const service of readdirSync(apps).sort()) wrong += await check(service);
} finally {
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
}
process.exitCode = wrong === 0 ? 0 : 1;

async function check(service: string): Promise<number> {
  const file = new URL(`${service}/src/data-source.js`, apps);
  if (!existsSync(file)) return 0;
  try {
    return await compare(service, file);
  } catch (error) {
    // One service that cannot be opened must not hide what the others lack.
    console.log(`${service}: ${(error as Error).message}`);
    return 1;
  }
}

/**
 * Keys that were made before another index that begins with the same column. Of indexes that seem equally cheap Postgres takes the
 * newest, and while a table is small, or holds little of most projects, all of them do: a statement whose plan is kept would read a
 * whole project for each of its rows.
 */
async function earlyKeys(database: Database): Promise<string[]> {
  const found = await database.query<{ text: string }>(
    `SELECT format('%s is older than %s: make the key last', k.indexrelid::regclass, i.indexrelid::regclass) AS text
     FROM pg_index k JOIN pg_index i ON i.indrelid = k.indrelid AND i.indkey[0] = k.indkey[0] AND i.indexrelid > k.indexrelid
     JOIN pg_class c ON c.oid = k.indrelid AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace
     JOIN pg_class ic ON ic.oid = i.indexrelid JOIN pg_am ON pg_am.oid = ic.relam AND amname = 'btree'
     JOIN pg_constraint ON conindid = k.indexrelid AND contype IN ('p', 'u')
     WHERE NOT i.indisunique AND k.indnatts > 1 ORDER BY 1`,
  );
  return found.map(({ text }) => text);
}

async function compare(service: string, file: URL): Promise<number> {
  const { entities, migrations } = (await import(file.href)) as Pick<
    DatabaseOptions,
    'entities' | 'migrations'
  >;
  const url = await provisionDatabase({ adminUrl: postgres.url, service, secretKey });
  const database = await openDatabase({ url, name: 'check', poolSize: 2, entities, migrations });
  try {
    const ran = await migrate(database);
    const differences = [
      ...(await columnDifferences(database)),
      ...(await earlyKeys(database)),
      ...(await unscopedKeys(database)),
    ];
    const compared = `${ran} migrations, ${database.source.entityMetadatas.length} entities`;
    console.log(`${service}: ${compared}, ${differences.length} differences`);
    for (const difference of differences) console.log(`  ${difference}`);
    return differences.length;
  } finally {
    await database.close();
  }
}
