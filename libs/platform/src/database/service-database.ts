import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceName } from '@posthorn/contracts';
import {
  isDatabaseAway,
  isMigrated,
  preparePartitions,
  migrate,
  openDatabase,
  provisionDatabase,
  RefusedDatabase,
  roleProblem,
  tlsProblem,
  type Database,
  type PartitionPlan,
} from '@posthorn/database';
import { currentService, outboxPartitions } from '@posthorn/messaging';
import type { Tracing } from '@posthorn/telemetry';
import { StartError } from '../config.js';
import { tlsOf } from './database-config.js';
import type { PinoLogger } from '../logging.js';
import type { Readiness } from '../readiness.js';
import type { ServiceParts, StartOptions } from '../service-parts.js';
import type { ServiceConfig } from '../service-config.js';

type Server = 'DATABASE' | 'DIRECT_DATABASE' | 'NATS';

/** Such as `<SERVICE>_DATABASE_URL`. */
export const ownVariable = (service: ServiceName, server: Server): string =>
  `${service.toUpperCase()}_${server}_URL`;

export const ownUrl = (
  server: Server,
  service: ServiceName,
  { environment }: Pick<StartOptions, 'environment'>,
): string | undefined => environment[ownVariable(service, server)]?.trim() || undefined;

/** The address of the database of a service, and the one past any pooler; null where it makes its own. */
export function ownDatabaseUrls(
  service: ServiceName,
  from: Pick<StartOptions, 'environment'>,
): { url: string; directUrl: string } | null {
  const url = ownUrl('DATABASE', service, from);
  const direct = ownUrl('DIRECT_DATABASE', service, from);
  if (url === undefined && direct === undefined) return null;
  return { url: (url ?? direct)!, directUrl: (direct ?? url)! };
}

interface Watching {
  tracing: Tracing;
  logger: PinoLogger;
  readiness: Readiness;
}

/** A failover takes seconds, and a process that starts meanwhile must not end and be started again and again. */
const patienceMs = 60_000;
const askAgainMs = 500;
/** As long as a job may take to be scheduled, and to migrate. */
const migrationsWithinMs = 600_000;

export async function openOwnDatabase<C extends ServiceConfig>(
  parts: ServiceParts<C>,
  config: C,
  options: StartOptions,
  watching: Watching,
): Promise<Database> {
  const adminUrl = config.databaseUrl ?? 'postgres://postgres@127.0.0.1:5432/postgres';
  const own = ownDatabaseUrls(parts.name, options);
  const address = own?.directUrl ?? adminUrl;
  const say = (line: string) => {
    watching.readiness.waitsFor(line);
    if (options.report) options.report(`${parts.name}: ${line}`);
    else watching.logger.log(line);
  };
  try {
    return await whileAway(new URL(address).host, say, async () => {
      const url = own?.url ?? (await provision(parts, config, adminUrl, say));
      return open(parts, config, { url, directUrl: own?.directUrl ?? url }, { ...watching, say });
    });
  } catch (error) {
    throw explained(error, own?.url ?? adminUrl);
  }
}

const provision = (
  { name }: { name: ServiceName },
  config: ServiceConfig,
  adminUrl: string,
  report: (line: string) => void,
): Promise<string> =>
  provisionDatabase({ adminUrl, service: name, secretKey: config.secretKey, tls: tlsOf(config), report });

async function open<C extends ServiceConfig>(
  parts: ServiceParts<C>,
  config: C,
  urls: { url: string; directUrl: string },
  { tracing, logger, readiness, say }: Watching & { say: (line: string) => void },
): Promise<Database> {
  const { entities, migrations } = parts;
  const database = await openDatabase({
    ...urls,
    name: `posthorn-${parts.name}-${process.pid}`,
    entities,
    migrations,
    poolSize: config.databasePool,
    connectTimeoutMs: config.databaseWaitMs,
    tls: tlsOf(config),
    allowAsyncStandby: config.allowAsyncStandby,
    tracing,
  });
  try {
    currentService()?.watchDatabase(urls.url, () => database.query('SELECT 1'));
    if (config.migrateAtStart) await migrate(database, say);
    else await untilMigrated(database, parts.name, readiness);
    await preparePartitions(database, plansOf(parts, config), (line) => logger.warn(line));
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Repeats `work` while the server is away, for a minute. */
export async function whileAway<T>(
  server: string,
  say: (line: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  const began = performance.now();
  for (let said = ''; ;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseAway(error) || performance.now() - began > patienceMs) throw error;
      const line = `waiting for Postgres at ${server}: ${(error as Error).message || (error as { code?: string }).code}`;
      if (line !== said) say(line);
      said = line;
    }
    await pause(askAgainMs);
  }
}

async function untilMigrated(database: Database, service: ServiceName, readiness: Readiness): Promise<void> {
  const began = performance.now();
  while (!(await isMigrated(database))) {
    readiness.waitsFor('migrations are pending');
    if (performance.now() - began > migrationsWithinMs)
      throw new StartError(
        `migrations are pending for ${migrationsWithinMs / 60_000} minutes: run posthorn migrate --service ${service}, or set MIGRATE_AT_START=true`,
      );
    await pause(askAgainMs);
  }
}

/** A problem with a known remedy in one line. */
export function explained(error: unknown, url: string): unknown {
  if (error instanceof RefusedDatabase) return new StartError(error.message);
  const text = roleProblem(error, url) ?? tlsProblem(error, url);
  if (text !== null) return new StartError(text);
  if (!isDatabaseAway(error)) return error;
  const { code, message } = error as { code?: string; message: string };
  return new StartError(
    `Postgres at ${new URL(url).host} is not reachable for ${patienceMs / 1_000} s (${message || code}): check DATABASE_URL and <SERVICE>_DATABASE_URL, and its log`,
  );
}

export const plansOf = <C extends ServiceConfig>(parts: ServiceParts<C>, config: C): PartitionPlan[] => [
  outboxPartitions(config.outboxDays),
  ...(parts.partitions?.(config) ?? []),
];
