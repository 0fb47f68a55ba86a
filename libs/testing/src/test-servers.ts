import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  newId,
  openDatabase,
  migrate,
  maintainPartitions,
  provisionAt,
  type Database,
  type DatabaseOptions,
} from '@posthorn/database';
import { startNats } from '@posthorn/dev';
import pg from 'pg';

export const testSecret = 'a-secret-that-only-the-tests-know-0123456789';
const templateLock = 7_301_003;
/** With a second role for very frequent statements, as each service has one. */
const testRole = 'posthorn_test';

/** The Postgres server that `npm test` starts. */
function testPostgresUrl(): string {
  const url = process.env['POSTHORN_TEST_DATABASE_URL'];
  if (!url) throw new Error('no test servers are running: use npm test');
  return url;
}

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A database for one suite, cloned from a template with all migrations. */
export async function cloneDatabase(
  service: string,
  { entities, migrations }: Pick<DatabaseOptions, 'entities' | 'migrations'>,
): Promise<TestDatabase> {
  const template = `template_${service}`;
  const name = `t_${service}_${newId().replaceAll('-', '')}`;
  const admin = new pg.Client({ connectionString: testPostgresUrl() });
  await admin.connect();
  try {
    await admin.query('SELECT pg_advisory_lock($1)', [templateLock]);
    const { rowCount } = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [template]);
    if (!rowCount) await makeTemplate(admin, template, { entities, migrations });
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template} OWNER ${testRole}`);
  } finally {
    await admin.end();
  }
  return { url: urlOf(name), drop: () => dropDatabase(name) };
}

async function makeTemplate(
  admin: pg.Client,
  template: string,
  options: Pick<DatabaseOptions, 'entities' | 'migrations'>,
): Promise<void> {
  await provisionAt(testPostgresUrl(), urlOf(template));
  // Suites also look into the server, and break it.
  await admin.query(`ALTER ROLE ${testRole} SUPERUSER`);
  const database: Database = await openDatabase({
    url: urlOf(template),
    name: 'template',
    poolSize: 2,
    connectTimeoutMs: 30_000,
    ...options,
  });
  await migrate(database);
  await maintainPartitions(database, [{ table: 'outbox', days: 1, retentionDays: 7 }]);
  await database.close();
}

async function dropDatabase(name: string): Promise<void> {
  const admin = new pg.Client({ connectionString: testPostgresUrl() });
  await admin.connect();
  await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await admin.end();
}

function urlOf(name: string): string {
  const url = new URL(testPostgresUrl());
  url.username = testRole;
  url.pathname = `/${name}`;
  return url.toString();
}

export interface TestNats {
  url: string;
  pid: number;
  dataDirectory: string;
  stop(): Promise<void>;
  /** Kills the process; with `wiped` its store is deleted too. */
  kill(how?: { wiped?: boolean }): Promise<void>;
  /** Restarts on the same port. */
  start(): Promise<void>;
}

/** A NATS server for one suite, because subjects are global. */
export async function startTestNats(configuration?: string): Promise<TestNats> {
  const root = await mkdtemp(join(tmpdir(), 'posthorn-nats-'));
  const dataDirectory = join(root, 'store');
  let server = await startNats({ dataDirectory, configuration });
  const { url, port, pid } = server;
  return {
    url,
    pid,
    dataDirectory,
    kill: async ({ wiped = false } = {}) => {
      process.kill(server.pid, 'SIGKILL');
      await server.stop();
      if (wiped) await rm(dataDirectory, { recursive: true, force: true });
    },
    start: async () => {
      server = await startNats({ dataDirectory, port, configuration });
    },
    stop: async () => {
      await server.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}
