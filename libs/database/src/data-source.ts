import pg from 'pg';
import type { Tracing } from '@posthorn/telemetry';
import { DataSource, DefaultNamingStrategy, type DataSourceOptions, type QueryRunner } from 'typeorm';
import { connectionTo, type DatabaseTls } from './connecting/connection.js';
import { Database, type DirectConnection } from './database.js';
import { refuseLossyServer } from './connecting/durability.js';
import { FreshPool, type Failures, type FreshPoolOptions } from './connecting/fresh-pool.js';
import { hotRoleSettings, hotUrl, refuseOtherSettings, roleSettings } from './connecting/roles.js';

export type { DataSource, QueryRunner };

export interface DatabaseOptions {
  url: string;
  name: string;
  entities: DataSourceOptions['entities'];
  migrations: DataSourceOptions['migrations'];
  poolSize: number;
  connectTimeoutMs?: number;
  tracing?: Tracing;
  /** Past any pooler; `url` where none is given. */
  directUrl?: string;
  tls?: DatabaseTls;
  allowAsyncStandby?: boolean;
}

// A request is answered within two seconds while the database is down (docs/guarantees.md G17).
const defaultConnectTimeoutMs = 1_500;
const startTimeoutMs = 15_000;
/** Half of a connection whose other end is gone is noticed after twenty seconds, and not after hours. */
const everywhere = { pipeline: true, keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** int8 as number: counts and sequences stay far below 2^53. */
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, name, poolSize, connectTimeoutMs = defaultConnectTimeoutMs, tracing } = options;
  const failures: Failures = { lastAt: -Infinity };
  const source = await openSource(options, failures);
  const { master } = source.driver as unknown as { master: pg.Pool };
  const hot = new FreshPool({
    ...connectionTo(hotUrl(url), options.tls),
    ...everywhere,
    failures,
    application_name: `${name}-hot`,
    max: Math.max(2, Math.ceil(poolSize / 2)),
    connectionTimeoutMillis: Math.max(connectTimeoutMs, startTimeoutMs),
  } as FreshPoolOptions);
  const direct: DirectConnection = {
    ...connectionTo(options.directUrl ?? url, options.tls),
    migrations: options.migrations,
    name,
  };
  const database = new Database(source, master, hot, tracing, direct);
  try {
    await refuseOtherSettings(master, roleSettings);
    await refuseOtherSettings(hot, hotRoleSettings);
    await refuseLossyServer(database, options);
  } catch (error) {
    await database.close();
    throw error;
  }
  for (const pool of [master, hot]) pool.options.connectionTimeoutMillis = connectTimeoutMs;
  return database;
}

/** No session is assumed: it may lead to a pooler. */
async function openSource(options: DatabaseOptions, failures: Failures): Promise<DataSource> {
  const { url, name, entities, migrations, poolSize, connectTimeoutMs = defaultConnectTimeoutMs } = options;
  const connection = connectionTo(url, options.tls);
  const source = new DataSource({
    type: 'postgres',
    driver: Object.assign(Object.create(pg) as typeof pg, { Pool: FreshPool }),
    url: connection.connectionString,
    entities,
    migrations,
    namingStrategy: new SnakeNames(),
    applicationName: name,
    poolSize,
    connectTimeoutMS: Math.max(connectTimeoutMs, startTimeoutMs),
    installExtensions: false,
    uuidExtension: 'pgcrypto',
    migrationsTransactionMode: 'each',
    extra: { ...everywhere, ssl: connection.ssl, failures, idleTimeoutMillis: 60_000 },
    poolErrorHandler: () => undefined,
  });
  return source.initialize();
}

/** For migrations: a session of its own, past any pooler. */
export async function openDirectSource({
  direct: { connectionString, ssl, migrations, name },
}: Database): Promise<DataSource> {
  const source = new DataSource({
    type: 'postgres',
    url: connectionString,
    entities: [],
    migrations,
    applicationName: `${name}-migrates`,
    poolSize: 1,
    connectTimeoutMS: startTimeoutMs,
    installExtensions: false,
    uuidExtension: 'pgcrypto',
    migrationsTransactionMode: 'each',
    extra: { ssl, keepAlive: true },
    poolErrorHandler: () => undefined,
  });
  return source.initialize();
}

/** A member `projectId` is stored as `project_id`. */
class SnakeNames extends DefaultNamingStrategy {
  override columnName(member: string, given: string | undefined, prefixes: string[]): string {
    return given ?? [...prefixes, member].join('_').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }
}
