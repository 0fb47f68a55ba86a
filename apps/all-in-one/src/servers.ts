import { randomBytes } from 'node:crypto';
import { busUsers, serviceNames, type BusUser, type ServiceName } from '@posthorn/contracts';
import { hotUrl, provisionDatabase } from '@posthorn/database';
import {
  byWayOf,
  startableServices,
  startInbox,
  startNats,
  startPooler,
  startPostgres,
  type Inbox,
  type Say,
} from '@posthorn/dev';
import { natsConfiguration, type NatsCertificates } from '@posthorn/messaging';
import {
  NatsConfig,
  ownVariable,
  readConfig,
  secretKeysIn,
  tlsOf,
  type Environment,
} from '@posthorn/platform';
import type { AllInOneConfig } from './config.js';
import type { DataDirectory } from './data-directory.js';
import { EmbeddedServers } from './embedded-servers.js';
import type { Started } from './started.js';

export interface Servers {
  databases: Environment;
  /** One `<SERVICE>_NATS_URL` for each service, or NATS_URL where it is configured. */
  buses: Environment;
  /** With the user of the operator, where the server is embedded. */
  natsUrl: string;
  certificates?: NatsCertificates | undefined;
  inbox: Inbox | null;
  failed: Promise<never>;
}

export interface ServersOptions {
  config: AllInOneConfig;
  environment: Environment;
  directory: DataDirectory;
  separateDatabases: boolean;
  pooler: boolean;
  report: Say;
}

/** Each server is embedded unless its URL is configured. */
export async function startServers(options: ServersOptions, started: Started): Promise<Servers> {
  const { config, directory, separateDatabases, report } = options;
  const embedded = new EmbeddedServers(directory, report, started);
  const [databases, nats, inbox] = await Promise.allSettled([
    separateDatabases ? startDatabaseForEach(options, embedded) : startOneDatabase(options, embedded),
    config.natsUrl ? sharedNats(config.natsUrl, options.environment) : startEmbeddedNats(directory, embedded),
    config.smtpUrl
      ? null
      : startInbox({ directory: directory.at('inbox'), httpPort: config.inboxPort, report }),
  ]);
  if (inbox.status === 'fulfilled' && inbox.value) started.add(inbox.value.stop);
  const { databaseUrls, databases: direct } = valueOf(databases);
  const servers: Servers = {
    databases: options.pooler ? await startPoolerBefore(direct, directory, embedded) : direct,
    ...valueOf(nats),
    inbox: valueOf(inbox),
    failed: embedded.failed,
  };
  embedded.publish({ databaseUrls, natsUrl: servers.natsUrl });
  return servers;
}

type Nats = Pick<Servers, 'buses' | 'natsUrl' | 'certificates'>;

function sharedNats(natsUrl: string, environment: Environment): Nats {
  const { certificates } = readConfig(NatsConfig, environment).busAt(natsUrl);
  return { natsUrl, certificates, buses: { NATS_URL: natsUrl } };
}

/** Each service and the operator have a user of their own, with a password of this start. */
async function startEmbeddedNats(directory: DataDirectory, embedded: EmbeddedServers): Promise<Nats> {
  const passwords = new Map(busUsers.map((user) => [user, randomBytes(24).toString('hex')]));
  const options = {
    dataDirectory: directory.at('nats'),
    binDirectory: directory.at('bin'),
    configuration: natsConfiguration((user) => JSON.stringify(passwords.get(user))),
  };
  const url = await embedded.start('NATS', (port, report) => startNats({ ...options, port, report }));
  const urlOf = (user: BusUser): string => {
    const own = new URL(url);
    own.username = user;
    own.password = passwords.get(user)!;
    return own.href;
  };
  const buses = serviceNames.map((service) => [ownVariable(service, 'NATS'), urlOf(service)]);
  return { natsUrl: urlOf('operator'), buses: Object.fromEntries(buses) as Environment };
}

interface Databases {
  databases: Environment;
  /** For tools: the account of the whole server, or one URL for each service. */
  databaseUrls: string[];
}

/** The services hold only their own accounts, not the one that creates them. */
async function startOneDatabase(options: ServersOptions, embedded: EmbeddedServers): Promise<Databases> {
  const { config, directory } = options;
  const dataDirectory = directory.at('postgres');
  const adminUrl =
    config.databaseUrl ??
    (await embedded.start('PostgreSQL', (port, report) => startPostgres({ dataDirectory, port, report })));
  const databases = await provideDatabases(options, async () => adminUrl);
  return { databases, databaseUrls: [adminUrl] };
}

async function startDatabaseForEach(options: ServersOptions, embedded: EmbeddedServers): Promise<Databases> {
  const databases = await provideDatabases(options, (service) => {
    const dataDirectory = options.directory.at(`postgres-${service}`);
    return embedded.start(`PostgreSQL of ${service}`, (port, report) =>
      startPostgres({ dataDirectory, port, report }),
    );
  });
  return { databases, databaseUrls: Object.values(databases) as string[] };
}

/** For each account of a database: ten connections a service, for both of its roles. */
const pooledConnections = 5;

/** The services keep the way to the server itself for migrations. */
async function startPoolerBefore(
  direct: Environment,
  directory: DataDirectory,
  embedded: EmbeddedServers,
): Promise<Environment> {
  const urls = Object.values(direct) as string[];
  const options = {
    directory: directory.at('pgbouncer'),
    databases: urls.flatMap((url) => [url, hotUrl(url)]),
    poolSize: pooledConnections,
  };
  const pooler = await embedded.start('PgBouncer', (port) =>
    startPooler({ ...options, ...(port === undefined ? {} : { port }) }),
  );
  const port = Number(new URL(pooler).port);
  return Object.fromEntries(
    Object.entries(direct).flatMap(([variable, url]) => [
      [variable, byWayOf({ port }, url!)],
      [variable.replace('_DATABASE_URL', '_DIRECT_DATABASE_URL'), url],
    ]),
  );
}

async function provideDatabases(
  { config, environment, directory, report }: ServersOptions,
  adminUrlOf: (service: ServiceName) => Promise<string>,
): Promise<Environment> {
  const [secretKey] = secretKeysIn(config.secretKey ?? directory.secretKey()) as [string];
  const opened = await Promise.allSettled(
    startableServices().map(async (service): Promise<[string, string]> => {
      const variable = ownVariable(service, 'DATABASE');
      const named = environment[variable]?.trim();
      if (named) return [variable, named];
      const adminUrl = await adminUrlOf(service);
      const tls = tlsOf(config);
      return [variable, await provisionDatabase({ adminUrl, service, secretKey, tls, report })];
    }),
  );
  return Object.fromEntries(opened.map(valueOf));
}

/** All results are awaited before an error is thrown, so that everything that started can be stopped. */
function valueOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}
