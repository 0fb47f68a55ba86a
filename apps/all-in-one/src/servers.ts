import { provisionDatabase } from '@posthorn/database';
import {
  startableServices,
  startInbox,
  startNats,
  startPostgres,
  type Inbox,
  type PostgresServer,
  type Say,
} from '@posthorn/dev';
import { secretKeysIn, type Environment } from '@posthorn/platform';
import type { AllInOneConfig } from './config.js';
import type { DataDirectory } from './data-directory.js';
import type { Started } from './started.js';

export interface Servers {
  /** DATABASE_URL, or one `<SERVICE>_DATABASE_URL` per service. */
  databases: Environment;
  natsUrl: string;
  inbox: Inbox | null;
}

export interface ServersOptions {
  config: AllInOneConfig;
  environment: Environment;
  directory: DataDirectory;
  separateDatabases: boolean;
  report: Say;
}

/** Each server is embedded unless its URL is configured. */
export async function startServers(options: ServersOptions, started: Started): Promise<Servers> {
  const { config, directory, separateDatabases, report: log } = options;
  const [databases, nats, inbox] = await Promise.allSettled([
    separateDatabases ? startDatabaseForEach(options, started) : startOneDatabase(options, started),
    config.natsUrl
      ? null
      : startNats({ dataDirectory: directory.at('nats'), binDirectory: directory.at('bin'), report: log }),
    config.smtpUrl
      ? null
      : startInbox({ directory: directory.at('inbox'), httpPort: config.inboxPort, report: log }),
  ]);
  for (const server of [nats, inbox])
    if (server.status === 'fulfilled' && server.value) started.add(server.value.stop);
  const servers: Servers = {
    databases: valueOf(databases),
    natsUrl: config.natsUrl ?? (valueOf(nats) as { url: string }).url,
    inbox: valueOf(inbox),
  };
  directory.writeServersFile({
    databaseUrls: Object.values(servers.databases) as string[],
    natsUrl: servers.natsUrl,
  });
  return servers;
}

async function startOneDatabase(
  { config, directory, report: log }: ServersOptions,
  started: Started,
): Promise<Environment> {
  if (config.databaseUrl) return { DATABASE_URL: config.databaseUrl };
  const { url, stop } = await startPostgres({ dataDirectory: directory.at('postgres'), report: log });
  started.add(stop);
  return { DATABASE_URL: url };
}

/** Data directories are `postgres-<service>`; a service with a configured database needs no server. */
async function startDatabaseForEach(
  { config, environment, directory, report: log }: ServersOptions,
  started: Started,
): Promise<Environment> {
  const [secretKey] = secretKeysIn(config.secretKey ?? directory.secretKey()) as [string];
  const opened = await Promise.allSettled(
    startableServices().map(async (service): Promise<[string, string]> => {
      const variable = `${service.toUpperCase()}_DATABASE_URL`;
      const named = environment[variable];
      if (named) return [variable, named];
      const server: PostgresServer = await startPostgres({
        dataDirectory: directory.at(`postgres-${service}`),
        report: log,
      });
      started.add(server.stop);
      return [variable, await provisionDatabase({ adminUrl: server.url, service, secretKey })];
    }),
  );
  return Object.fromEntries(opened.map(valueOf));
}

/** All results are awaited before an error is thrown, so that everything that started can be stopped. */
function valueOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}
