import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { migrate, openDatabase } from '@posthorn/database';
import { StartError } from '@posthorn/platform';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { fileOf, manifestFile, type BackedUpService, type BackedUpTable, type Manifest } from './backup.js';
import type { DatabaseUrls } from './installation.js';
import { serviceSchemas } from './service-schemas.js';
import { inOrderOfReferences, quoted, storedTables, type StoredTable } from './stored-tables.js';

interface RestoreOptions {
  from: string;
  secretMark: string;
  progress: (line: string) => void;
}

export interface Restored {
  rows: number;
  /** Of the oldest snapshot: events since then may be known to one service and not to another. */
  takenAt: string;
}

/** Into databases without rows. Each service is one commit, so that a restore that was stopped is repeated. */
export async function restore(
  urls: DatabaseUrls,
  { from, secretMark, progress }: RestoreOptions,
): Promise<Restored> {
  const manifest = readManifest(from);
  if (manifest.secretMark !== secretMark)
    throw new StartError(
      'this backup was made with another secret key: set POSTHORN_SECRET_KEY to that of the installation it is of',
    );
  for (const backedUp of manifest.services) {
    const done = await restoreService(urls.get(backedUp.service)!, backedUp, from);
    progress(`${backedUp.service}: ${done}`);
  }
  return {
    rows: manifest.services.reduce((sum, { tables }) => sum + rowsOf(tables), 0),
    takenAt: manifest.services.map(({ takenAt }) => takenAt).sort()[0]!,
  };
}

function readManifest(from: string): Manifest {
  const file = join(from, manifestFile);
  if (!existsSync(file)) throw new StartError(`${from} is not a whole backup: it has no ${manifestFile}`);
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
}

const rowsOf = (tables: readonly BackedUpTable[]): number => tables.reduce((sum, { rows }) => sum + rows, 0);

async function restoreService(url: string, backedUp: BackedUpService, from: string): Promise<string> {
  await makeTables(url, backedUp);
  const client = new pg.Client({ connectionString: url, application_name: 'posthorn-restore' });
  await client.connect();
  try {
    const { all, own } = await knownRows(client);
    if (all === rowsOf(backedUp.tables) && own > 0) return 'restored already';
    if (own > 0)
      throw new StartError(
        `the database of ${backedUp.service} has rows already: restore into new databases, or into another POSTHORN_DATA_DIR`,
      );
    await client.query('BEGIN');
    await client.query('SET LOCAL statement_timeout = 0');
    await makePartitions(client, backedUp.tables);
    for (const table of await inOrderOfReferences(client, backedUp.tables))
      await copyIn(client, table, join(from, fileOf(backedUp.service, table.name)));
    await client.query('COMMIT');
    await client.query('ANALYZE');
    return `${rowsOf(backedUp.tables)} rows`;
  } finally {
    await client.end();
  }
}

const nameOf = (Migration: new () => { name?: string }): string => new Migration().name ?? Migration.name;

/** As they were when the backup was made; migrations that came since run when the service starts. */
async function makeTables(url: string, { service, migrations }: BackedUpService): Promise<void> {
  const known = serviceSchemas[service].migrations.filter((each) => migrations.includes(nameOf(each)));
  if (known.length < migrations.length)
    throw new StartError(
      `the backup of ${service} is of a newer release: restore it with that one (migration ${migrations.at(-1)})`,
    );
  const database = await openDatabase({
    url,
    name: 'posthorn-restore',
    entities: [],
    migrations: known,
    poolSize: 1,
  });
  await migrate(database).finally(() => database.close());
}

/** Migrations make some rows of their own. */
const isOfMigrations = ({ columns }: StoredTable): boolean => columns.includes('singleton');

async function knownRows(client: pg.Client): Promise<{ all: number; own: number }> {
  const known = { all: 0, own: 0 };
  for (const table of await storedTables(client)) {
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ONLY ${client.escapeIdentifier(table.name)}`,
    );
    known.all += rows[0]!.count;
    if (!isOfMigrations(table)) known.own += rows[0]!.count;
  }
  return known;
}

async function makePartitions(client: pg.Client, tables: readonly BackedUpTable[]): Promise<void> {
  for (const { name, partition } of tables)
    if (partition)
      await client.query(
        `CREATE TABLE IF NOT EXISTS ${client.escapeIdentifier(name)} PARTITION OF ${client.escapeIdentifier(partition.of)} ${partition.bound}`,
      );
}

async function copyIn(client: pg.Client, table: BackedUpTable, file: string): Promise<void> {
  const { name, columns, identity } = table;
  if (isOfMigrations(table)) await client.query(`DELETE FROM ${client.escapeIdentifier(name)}`);
  const into = client.query(
    copyFrom(`COPY ${client.escapeIdentifier(name)} (${quoted(client, columns)}) FROM STDIN`),
  );
  await pipeline(createReadStream(file), createGunzip(), into);
  if (into.rowCount !== table.rows)
    throw new StartError(`${file} has ${into.rowCount} of ${table.rows} rows: the backup is damaged`);
  if (identity)
    await client.query(
      `SELECT setval(pg_get_serial_sequence($1, $2), coalesce(max(${client.escapeIdentifier(identity)}), 0) + 1, false) FROM ${client.escapeIdentifier(name)}`,
      [client.escapeIdentifier(name), identity],
    );
}
