import { provisionDatabase } from '@posthorn/database';
import { startableServices, startInbox, startNats, startPostgres, type Inbox, type Say } from '@posthorn/dev';
import { secretKeysIn, type Environment } from '@posthorn/platform';
import type { AllInOneConfig } from './config.js';
import type { DataDirectory } from './data-directory.js';
import { EmbeddedServers } from './embedded-servers.js';
import type { Started } from './started.js';

export interface Servers {
  /** DATABASE_URL, or one `<SERVICE>_DATABASE_URL` per service. */
  databases: Environment;
  natsUrl: string;
  inbox: Inbox | null;
  /** Rejects when an embedded server is given up. */
  failed: Promise<never>;
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
  const { config, directory, separateDatabases, report } = options;
  const embedded = new EmbeddedServers(directory, report, started);
  const [databases, nats, inbox] = await Promise.allSettled([
    separateDatabases ? startDatabaseForEach(options, embedded) : startOneDatabase(options, embedded),
    config.natsUrl ?? startEmbeddedNats(directory, embedded),
    config.smtpUrl
      ? null
      : startInbox({ directory: directory.at('inbox'), httpPort: config.inboxPort, report }),
  ]);
  if (inbox.status === 'fulfilled' && inbox.value) started.add(inbox.value.stop);
  const servers: Servers = {
    databases: valueOf(databases),
    natsUrl: valueOf(nats),
    inbox: valueOf(inbox),
    failed: embedded.failed,
  };
  embedded.publish({
    databaseUrls: Object.values(servers.databases) as string[],
    natsUrl: servers.natsUrl,
  });
  return servers;
}

async function startEmbeddedNats(directory: DataDirectory, embedded: EmbeddedServers): Promise<string> {
  const options = { dataDirectory: directory.at('nats'), binDirectory: directory.at('bin') };
  return embedded.start('NATS', (port, report) => startNats({ ...options, port, report }));
}

async function startOneDatabase(
  { config, directory }: ServersOptions,
  embedded: EmbeddedServers,
): Promise<Environment> {
  if (config.databaseUrl) return { DATABASE_URL: config.databaseUrl };
  const dataDirectory = directory.at('postgres');
  const url = await embedded.start('PostgreSQL', (port, report) =>
    startPostgres({ dataDirectory, port, report }),
  );
  return { DATABASE_URL: url };
}

/** Data directories are `postgres-<service>`; a service with a configured database needs no server. */
async function startDatabaseForEach(
  { config, environment, directory }: ServersOptions,
  embedded: EmbeddedServers,
): Promise<Environment> {
  const [secretKey] = secretKeysIn(config.secretKey ?? directory.secretKey()) as [string];
  const opened = await Promise.allSettled(
    startableServices().map(async (service): Promise<[string, string]> => {
      const variable = `${service.toUpperCase()}_DATABASE_URL`;
      const named = environment[variable]?.trim();
      if (named) return [variable, named];
      const dataDirectory = directory.at(`postgres-${service}`);
      const adminUrl = await embedded.start(`PostgreSQL of ${service}`, (port, report) =>
        startPostgres({ dataDirectory, port, report }),
      );
      return [variable, await provisionDatabase({ adminUrl, service, secretKey })];
    }),
  );
  return Object.fromEntries(opened.map(valueOf));
}

/** All results are awaited before an error is thrown, so that everything that started can be stopped. */
function valueOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}
