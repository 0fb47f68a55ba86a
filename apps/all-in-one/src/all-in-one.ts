import { lockDirectory, startInbox, startNats, startPostgres, type Inbox } from '@posthorn/dev';
import { Bus, BusConnection } from '@posthorn/messaging';
import { readConfig, type Environment, type RunningService } from '@posthorn/platform';
import { startAnalytics } from '../../analytics/src/service.js';
import { startCampaigns } from '../../campaigns/src/service.js';
import { startContacts } from '../../contacts/src/service.js';
import { startGateway, type RunningGateway } from '../../gateway/src/service.js';
import { startSending } from '../../sending/src/service.js';
import { startWorkflows } from '../../workflows/src/service.js';
import { AllInOneConfig } from './config.js';
import { DataDirectory, type DevFile } from './data-directory.js';
import { ensureDemo } from './demo-data.js';

export type Say = (line: string) => void;

export interface AllInOne {
  dev: DevFile;
  inbox: Inbox | null;
  dataDirectory: string;
  smtp: string;
  stop(): Promise<void>;
}

interface Servers {
  databaseUrl: string;
  natsUrl: string;
  inbox: Inbox | null;
}

/** What was started, newest last: it is let go of the other way round. */
class Started {
  private readonly stops: (() => Promise<void> | void)[] = [];

  add(stop: () => Promise<void> | void): void {
    this.stops.push(stop);
  }

  async stop(): Promise<void> {
    for (const stop of this.stops.splice(0).reverse()) await stop();
  }
}

/** Every service in one process, on servers of its own unless others are named; they still speak through NATS. */
export async function startAllInOne(environment: Environment, say: Say): Promise<AllInOne> {
  const config = readConfig(AllInOneConfig, environment);
  const directory = new DataDirectory(config.dataDirectory);
  const started = new Started();
  try {
    const lock = lockDirectory(directory.path);
    started.add(() => lock.release());
    const servers = await startServers(config, directory, started, say);
    const gateway = await startServices(serviceEnvironment(config, directory, servers, environment), started, say);
    const dev = await prepareDemo(config, directory, servers, gateway);
    const smtp = config.smtpUrl ? new URL(config.smtpUrl).host : 'the development inbox';
    return { dev, inbox: servers.inbox, dataDirectory: directory.path, smtp, stop: () => started.stop() };
  } catch (error) {
    await started.stop();
    throw error;
  }
}

async function startServers(config: AllInOneConfig, directory: DataDirectory, started: Started, say: Say): Promise<Servers> {
  const [postgres, nats, inbox] = await Promise.allSettled([
    config.databaseUrl ? null : startPostgres({ dataDirectory: directory.at('postgres'), say }),
    config.natsUrl ? null : startNats({ dataDirectory: directory.at('nats'), binDirectory: directory.at('bin'), say }),
    config.smtpUrl ? null : startInbox({ directory: directory.at('inbox'), httpPort: config.inboxPort, say }),
  ]);
  for (const server of [postgres, nats, inbox]) if (server.status === 'fulfilled' && server.value) started.add(server.value.stop);
  const failed = [postgres, nats, inbox].find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
  const databaseUrl = config.databaseUrl ?? (postgres as PromiseFulfilledResult<{ url: string }>).value.url;
  const natsUrl = config.natsUrl ?? (nats as PromiseFulfilledResult<{ url: string }>).value.url;
  directory.writeServersFile({ databaseUrl, natsUrl });
  return { databaseUrl, natsUrl, inbox: (inbox as PromiseFulfilledResult<Inbox | null>).value };
}

/** The inbox is no provider that has a pace: mail arrives there at once. */
function serviceEnvironment(config: AllInOneConfig, directory: DataDirectory, servers: Servers, environment: Environment): Environment {
  const intoInbox = servers.inbox
    ? {
        SMTP_URL: servers.inbox.smtpUrl,
        SENDING_PROVIDER: 'capture',
        SENDING_RATE_PER_SECOND: environment['SENDING_RATE_PER_SECOND'] ?? '0',
      }
    : {};
  return {
    LOG_LEVEL: 'warn',
    LOG_FORMAT: 'text',
    ...environment,
    ...intoInbox,
    PORT: String(config.port),
    DATABASE_URL: servers.databaseUrl,
    NATS_URL: servers.natsUrl,
    POSTHORN_SECRET_KEY: config.secretKey ?? directory.secretKey(),
  };
}

/** The gateway comes last and goes first: it takes nothing that nobody would answer. */
async function startServices(environment: Environment, started: Started, say: Say): Promise<RunningGateway> {
  const options = { environment: { ...environment, ADMIN_PORT: '0' }, say };
  const behind = await Promise.allSettled<RunningService>([
    startSending({ ...options, processMetrics: false }),
    startContacts({ ...options, processMetrics: false }),
    startCampaigns({ ...options, processMetrics: false }),
    startWorkflows({ ...options, processMetrics: false }),
    startAnalytics({ ...options, processMetrics: false }),
  ]);
  for (const service of behind) if (service.status === 'fulfilled') started.add(service.value.stop);
  const failed = behind.find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
  const gateway = await startGateway({ environment, say });
  started.add(gateway.stop);
  return gateway;
}

async function prepareDemo(config: AllInOneConfig, directory: DataDirectory, servers: Servers, gateway: RunningGateway): Promise<DevFile> {
  const connection = await BusConnection.open({ url: servers.natsUrl, name: 'npm start' });
  try {
    const domains = config.devDomains.split(',').flatMap((name) => name.trim() || []);
    const demo = await ensureDemo(new Bus(connection), directory.readDevFile(), domains);
    const { projectId, secretKey, publicKey } = demo;
    const dev: DevFile = { baseUrl: gateway.url, inboxUrl: servers.inbox?.url ?? '', projectId, secretKey, publicKey };
    directory.writeDevFile(dev);
    return dev;
  } finally {
    await connection.close();
  }
}
