import { AsyncLocalStorage } from 'node:async_hooks';
import { type DynamicModule, type INestMicroservice } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import type { ServiceName } from '@posthorn/contracts';
import { Database, DatabaseClock, isMigrated, maintainPartitions, measurePools } from '@posthorn/database';
import {
  Bus,
  BusConnection,
  BusServer,
  currentService,
  DeadLetters,
  EventErasure,
  Inbox,
  Loop,
  MessagingMetrics,
  measureWaiting,
  Outbox,
  OutboxRelay,
  OutboxRelayRepository,
  type ProcessCalls,
  ReadModels,
  runAsService,
  type ServiceContext,
  WakeUps,
} from '@posthorn/messaging';
import { Metrics, openTracing, Tracing } from '@posthorn/telemetry';
import { WorkQueue, WorkRunner } from '@posthorn/work';
import { startAdminServer, type AdminServer } from './admin-server.js';
import { Commits } from './commits.js';
import { readConfig } from './config.js';
import { DurabilityWatch } from './database/durability-watch.js';
import { PinoLogger } from './logging.js';
import { Readiness } from './readiness.js';
import { Secrets } from './sealing.js';
import type { ServiceConfig } from './service-config.js';
import { openOwnDatabase, ownUrl, plansOf } from './database/service-database.js';
import type { ServiceParts, StartOptions } from './service-parts.js';

export interface ServiceResources<C extends ServiceConfig> {
  config: C;
  context: ServiceContext;
  database: Database;
  connection: BusConnection;
  clock: DatabaseClock;
  bus: Bus;
  outbox: Outbox;
  inbox: Inbox;
  relayRepository: OutboxRelayRepository;
  deadLetters: DeadLetters;
  readModels: ReadModels;
  eventErasure: EventErasure;
  wakeUps: WakeUps;
  work: WorkQueue;
  metrics: Metrics;
  messagingMetrics: MessagingMetrics;
  logger: PinoLogger;
  tracing: Tracing;
  calls: ProcessCalls | undefined;
  admin: AdminServer;
  readiness: Readiness;
}

export interface RunningService {
  name: ServiceName;
  adminPort: number;
  stop(): Promise<void>;
}

const hour = 3_600_000;

/** Everything below the application. Call it within `runAsService`. */
export async function openService<C extends ServiceConfig>(
  parts: ServiceParts<C>,
  options: StartOptions,
): Promise<ServiceResources<C>> {
  const config = readConfig(parts.config, options.environment);
  const logger = new PinoLogger({ service: parts.name, level: config.logLevel, format: config.logFormat });
  const tracing = await openTracing({ service: parts.name, ...tracingOf(config) });
  const metrics = new Metrics(parts.name, { withProcess: options.processMetrics ?? true });
  const readiness = new Readiness();
  // Before all that may have to wait for a server: who watches must see what for.
  const admin = await startAdminServer({
    host: config.adminHost,
    port: config.adminPort,
    metrics: metrics.registry,
    ready: () => readiness.look(),
  });
  const watching = { metrics, logger, tracing, admin, readiness };
  try {
    return {
      config,
      calls: options.calls,
      ...watching,
      ...(await openServers(parts, options, config, watching)),
    };
  } catch (error) {
    await admin.close();
    throw error;
  }
}

type Watching<C extends ServiceConfig> = Pick<
  ServiceResources<C>,
  'metrics' | 'logger' | 'tracing' | 'admin' | 'readiness'
>;

async function openServers<C extends ServiceConfig>(
  parts: ServiceParts<C>,
  options: StartOptions,
  config: C,
  watching: Watching<C>,
) {
  const context = currentService()!;
  const database = await openOwnDatabase(parts, config, options, watching);
  watching.readiness.waitsFor('NATS');
  const connection = await BusConnection.open({
    url: ownUrl('NATS', parts.name, options) ?? config.natsUrl,
    name: parts.name,
  });
  watching.readiness.waitsFor('starting');
  const clock = new DatabaseClock(database);
  const messagingMetrics = new MessagingMetrics(watching.metrics);
  const local = options.calls?.openTo(parts.name);
  const bus = new Bus(connection, clock, messagingMetrics, config.callTimeoutMs, local);
  const eventErasure = new EventErasure(database, parts.name, connection);
  const wakeUps = new WakeUps(connection, parts.name);
  return {
    context,
    database,
    connection,
    clock,
    bus,
    ...messagingOn(parts.name, database),
    messagingMetrics,
    eventErasure,
    wakeUps,
    work: new WorkQueue(database, wakeUps),
  };
}

const tracingOf = ({ otlpEndpoint, otlpProtocol, tracesSampler, tracesRatio }: ServiceConfig) => ({
  endpoint: otlpEndpoint,
  protocol: otlpProtocol,
  sampler: tracesSampler,
  ratio: tracesRatio,
});

function messagingOn(service: ServiceName, database: Database) {
  return {
    outbox: new Outbox(database),
    inbox: new Inbox(database),
    relayRepository: new OutboxRelayRepository(database, service),
    deadLetters: new DeadLetters(database),
    readModels: new ReadModels(database),
  };
}

export function resourcesModule<C extends ServiceConfig>(
  parts: ServiceParts<C>,
  resources: ServiceResources<C>,
): DynamicModule {
  const providers = [
    { provide: parts.config, useValue: resources.config },
    { provide: Database, useValue: resources.database },
    { provide: DatabaseClock, useValue: resources.clock },
    { provide: BusConnection, useValue: resources.connection },
    { provide: Bus, useValue: resources.bus },
    { provide: Outbox, useValue: resources.outbox },
    { provide: Inbox, useValue: resources.inbox },
    { provide: ReadModels, useValue: resources.readModels },
    { provide: EventErasure, useValue: resources.eventErasure },
    { provide: WakeUps, useValue: resources.wakeUps },
    { provide: WorkQueue, useValue: resources.work },
    Commits,
    {
      provide: WorkRunner,
      useFactory: () => new WorkRunner({ ...resources, leaseMs: resources.config.workLeaseSeconds * 1_000 }),
    },
    { provide: Metrics, useValue: resources.metrics },
    { provide: Tracing, useValue: resources.tracing },
    { provide: Secrets, useValue: new Secrets(resources.config.secretKeys) },
  ];
  return {
    module: class ResourcesModule {},
    global: true,
    providers,
    exports: providers.map((each) => ('provide' in each ? each.provide : each)),
  };
}

export interface BackgroundServices {
  admin: AdminServer;
  /** Reports not ready, so that balancers send no more requests, while requests are still answered. */
  drain(): void;
  stop(): Promise<void>;
}

export async function runBackground<C extends ServiceConfig>(
  parts: ServiceParts<C>,
  resources: ServiceResources<C>,
): Promise<BackgroundServices> {
  const { config, database, outbox, inbox, metrics, logger, admin, readiness } = resources;
  const relay = new OutboxRelay({ service: parts.name, ...resources });
  const housekeeping = new Loop({
    everyMs: hour,
    work: async () => {
      await maintainPartitions(database, plansOf(parts, config), (line) => logger.warn(line));
      await inbox.deleteOld(config.outboxDays);
    },
    onError: (error) => logger.warn(`housekeeping: ${(error as Error).message}`),
  });
  measurePools(metrics, database);
  measureWaiting(metrics, outbox, resources.deadLetters);
  const durability = new DurabilityWatch(database, config, logger);
  durability.start();
  let draining = false;
  readiness.started([
    async () => (draining ? 'draining' : null),
    async () => ((await isMigrated(database)) ? null : 'migrations are pending'),
    async () => durability.problem,
  ]);
  relay.start();
  housekeeping.start();
  const stop = async () => {
    await Promise.all([relay.stop(), housekeeping.stop(), durability.stop(), admin.close()]);
  };
  return { admin, drain: () => (draining = true), stop };
}

export const startService = <C extends ServiceConfig>(
  parts: ServiceParts<C>,
  options: StartOptions,
): Promise<RunningService> => runAsService(parts.name, () => start(parts, options));

async function start<C extends ServiceConfig>(
  parts: ServiceParts<C>,
  options: StartOptions,
): Promise<RunningService> {
  const resources = await openService(parts, options);
  const strategy = new BusServer({ service: parts.name, ...resources });
  const root: DynamicModule = {
    module: class ServiceModule {},
    imports: [resourcesModule(parts, resources), parts.module],
  };
  const app: INestMicroservice = await NestFactory.createMicroservice(root, {
    strategy,
    logger: resources.logger,
    abortOnError: false,
  });
  strategy.addHandlersOf(app.get(ModulesContainer));
  await app.listen();
  const extra = await runBackground(parts, resources);
  return {
    name: parts.name,
    adminPort: extra.admin.port,
    stop: AsyncLocalStorage.bind(async () => {
      extra.drain();
      await app.close();
      await extra.stop();
      await closeResources(resources);
    }),
  };
}

export async function closeResources({
  context,
  connection,
  database,
  tracing,
}: ServiceResources<ServiceConfig>): Promise<void> {
  context.close();
  await connection.close();
  await database.close();
  await tracing.close();
}
