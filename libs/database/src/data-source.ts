import pg from 'pg';
import type { Tracing } from '@posthorn/telemetry';
import { DataSource, DefaultNamingStrategy, type DataSourceOptions, type QueryRunner } from 'typeorm';
import { Database } from './database.js';

export type { DataSource, QueryRunner };

export interface DatabaseOptions {
  url: string;
  name: string;
  entities: DataSourceOptions['entities'];
  migrations: DataSourceOptions['migrations'];
  poolSize: number;
  connectTimeoutMs?: number;
  tracing?: Tracing;
}

// A request is answered within two seconds while the database is down (docs/guarantees.md G17).
const defaultConnectTimeoutMs = 1_500;
const startTimeoutMs = 15_000;

/** int8 as number: counts and sequences stay far below 2^53. */
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const {
    url,
    name,
    entities,
    migrations,
    poolSize,
    connectTimeoutMs = defaultConnectTimeoutMs,
    tracing,
  } = options;
  const source = new DataSource({
    type: 'postgres',
    url,
    entities,
    migrations,
    namingStrategy: new SnakeNames(),
    applicationName: name,
    poolSize,
    connectTimeoutMS: Math.max(connectTimeoutMs, startTimeoutMs),
    installExtensions: false,
    uuidExtension: 'pgcrypto',
    migrationsTransactionMode: 'each',
    extra: {
      pipeline: true,
      statement_timeout: 60_000,
      idle_in_transaction_session_timeout: 60_000,
      keepAlive: true,
      idleTimeoutMillis: 60_000,
    },
    // Without a listener, a broken idle connection would end the process.
    poolErrorHandler: () => undefined,
  });
  await source.initialize();
  const { master } = source.driver as unknown as { master: pg.Pool };
  listenForErrors(master);
  const database = new Database(
    source,
    master,
    openHotPool({ url, name, poolSize, connectTimeoutMs }),
    tracing,
  );
  await assertDurable(database);
  master.options.connectionTimeoutMillis = connectTimeoutMs;
  return database;
}

/** A member `projectId` is stored as `project_id`. */
class SnakeNames extends DefaultNamingStrategy {
  override columnName(member: string, given: string | undefined, prefixes: string[]): string {
    return given ?? [...prefixes, member].join('_').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }
}

/** A server that may lose commits is refused at the start (docs/guarantees.md G1). */
async function assertDurable(database: Database): Promise<void> {
  const settings = await database.query<{ name: string; setting: string }>(
    `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit')`,
  );
  const unsafe = settings.filter(({ setting }) => setting === 'off' || setting === 'local');
  if (unsafe.length > 0) {
    throw new Error(
      `Postgres would lose accepted mail: set ${unsafe.map(({ name }) => `${name} = on`).join(', ')}`,
    );
  }
}

/** For very frequent statements: pipelined, and planned once a connection. Such a plan must fit tables of
 * any size, so it uses indexes and nested loops. */
function openHotPool({
  url,
  name,
  poolSize,
  connectTimeoutMs,
}: Required<Pick<DatabaseOptions, 'url' | 'name' | 'poolSize' | 'connectTimeoutMs'>>): pg.Pool {
  const plans = [
    'plan_cache_mode=force_generic_plan',
    'enable_seqscan=off',
    'enable_hashjoin=off',
    'enable_mergejoin=off',
    'jit=off',
  ];
  const pool = new pg.Pool({
    connectionString: url,
    application_name: `${name}-hot`,
    max: Math.max(2, Math.ceil(poolSize / 2)),
    pipeline: true,
    options: plans.map((setting) => `-c ${setting}`).join(' '),
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: 60_000,
    keepAlive: true,
  } as pg.PoolConfig);
  pool.on('error', () => undefined);
  listenForErrors(pool);
  return pool;
}

/** A connection may break when the pool lends it: without a listener that would end the process. */
function listenForErrors(pool: pg.Pool): void {
  const known = new WeakSet<pg.PoolClient>();
  pool.on('acquire', (client) => {
    if (known.has(client)) return;
    known.add(client);
    client.on('error', () => undefined);
  });
}
