import type { ServiceName } from '@posthorn/contracts';
import {
  preparePartitions,
  migrate,
  openDatabase,
  provisionDatabase,
  type Database,
  type PartitionPlan,
} from '@posthorn/database';
import { currentService, outboxPartitions } from '@posthorn/messaging';
import type { Tracing } from '@posthorn/telemetry';
import type { PinoLogger } from './logging.js';
import type { ServiceParts, StartOptions } from './service-parts.js';
import type { ServiceConfig } from './service-config.js';

/** `<SERVICE>_DATABASE_URL` or `<SERVICE>_NATS_URL`. */
export const ownVariable = (service: ServiceName, server: 'DATABASE' | 'NATS'): string =>
  `${service.toUpperCase()}_${server}_URL`;

export const ownUrl = (
  server: 'DATABASE' | 'NATS',
  service: ServiceName,
  { environment }: Pick<StartOptions, 'environment'>,
): string | undefined => environment[ownVariable(service, server)]?.trim() || undefined;

export async function openOwnDatabase<C extends ServiceConfig>(
  parts: ServiceParts<C>,
  config: C,
  { environment, report: log }: StartOptions,
  { tracing, logger }: { tracing: Tracing; logger: PinoLogger },
): Promise<Database> {
  const own = ownUrl('DATABASE', parts.name, { environment });
  const adminUrl = config.databaseUrl ?? 'postgres://postgres@127.0.0.1:5432/postgres';
  const url =
    own ?? (await provisionDatabase({ adminUrl, service: parts.name, secretKey: config.secretKey }));
  const { entities, migrations } = parts;
  const database = await openDatabase({
    url,
    name: `posthorn-${parts.name}-${process.pid}`,
    entities,
    migrations,
    poolSize: config.databasePool,
    connectTimeoutMs: config.databaseWaitMs,
    tracing,
  });
  currentService()?.watchDatabase(url, () => database.query('SELECT 1'));
  await migrate(database, (line) => log?.(`${parts.name}: ${line}`));
  await preparePartitions(database, plansOf(parts, config), (line) => logger.warn(line));
  return database;
}

export const plansOf = <C extends ServiceConfig>(parts: ServiceParts<C>, config: C): PartitionPlan[] => [
  outboxPartitions(config.outboxDays),
  ...(parts.partitions?.(config) ?? []),
];
