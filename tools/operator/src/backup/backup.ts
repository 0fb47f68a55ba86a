import { createWriteStream, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { serviceNames, type ServiceName } from '@posthorn/contracts';
import { StartError } from '@posthorn/platform';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { DatabaseUrls } from './installation.js';
import { migrationsOf, quoted, storedTables, type StoredTable } from './stored-tables.js';

export interface BackedUpTable extends StoredTable {
  rows: number;
}

export interface BackedUpService {
  service: ServiceName;
  /** All rows are of this instant. */
  takenAt: string;
  migrations: string[];
  tables: BackedUpTable[];
}

export interface Manifest {
  format: 1;
  /** Tells whether the secret key at hand is the one that sealed the rows. */
  secretMark: string;
  services: BackedUpService[];
}

export const manifestFile = 'manifest.json';
export const fileOf = (service: ServiceName, table: string): string => join(service, `${table}.copy.gz`);

interface BackupOptions {
  to: string;
  secretMark: string;
  progress: (line: string) => void;
}

/** One snapshot of each database, while everything runs. The directory appears under its name once it is whole. */
export async function backUp(
  urls: DatabaseUrls,
  { to, secretMark, progress }: BackupOptions,
): Promise<Manifest> {
  if (existsSync(to)) throw new StartError(`${to} exists already: name a directory that does not`);
  const partial = `${to}.partial`;
  rmSync(partial, { recursive: true, force: true });
  const services: BackedUpService[] = [];
  for (const service of serviceNames) {
    mkdirSync(join(partial, service), { recursive: true, mode: 0o700 });
    services.push(await backUpService(service, urls.get(service)!, partial));
    const rows = services.at(-1)!.tables.reduce((sum, table) => sum + table.rows, 0);
    progress(`${service}: ${rows} rows`);
  }
  const manifest: Manifest = { format: 1, secretMark, services };
  writeFileSync(join(partial, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`);
  renameSync(partial, to);
  return manifest;
}

async function backUpService(service: ServiceName, url: string, directory: string): Promise<BackedUpService> {
  const client = new pg.Client({ connectionString: url, application_name: 'posthorn-backup' });
  await client.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query('SET LOCAL statement_timeout = 0');
    const { rows } = await client.query<{ at: Date }>('SELECT now() AS at');
    const tables: BackedUpTable[] = [];
    for (const table of await storedTables(client))
      tables.push({
        ...table,
        rows: await copyOut(client, table, join(directory, fileOf(service, table.name))),
      });
    return { service, takenAt: rows[0]!.at.toISOString(), migrations: await migrationsOf(client), tables };
  } finally {
    await client.end();
  }
}

async function copyOut(client: pg.Client, { name, columns }: StoredTable, file: string): Promise<number> {
  const rows = client.query(
    copyTo(`COPY (SELECT ${quoted(client, columns)} FROM ONLY ${client.escapeIdentifier(name)}) TO STDOUT`),
  );
  await pipeline(rows, createGzip({ level: 1 }), createWriteStream(file, { mode: 0o600 }));
  return rows.rowCount;
}
