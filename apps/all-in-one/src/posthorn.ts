import {
  lockDirectory,
  preferPort,
  refuseTakenPort,
  stopServicesLeftBehind,
  type Inbox,
  type Say,
} from '@posthorn/dev';
import { Bus, BusConnection } from '@posthorn/messaging';
import { readConfig, type Environment } from '@posthorn/platform';
import { startAsProcesses, type Serving } from './as-processes.js';
import { AllInOneConfig } from './config.js';
import { DataDirectory, type DevFile } from './data-directory.js';
import { ensureDemo, vouchForSystemMail } from './demo-data.js';
import { startServers, type Servers } from './servers.js';
import type { StartOptions } from './start-options.js';
import { Started } from './started.js';

export interface Posthorn {
  dev: DevFile;
  /** Where people open its pages: the address of the API, unless PUBLIC_URL says otherwise. */
  pagesUrl: string;
  inbox: Inbox | null;
  dataDirectory: string;
  smtp: string;
  inboundPort: number | null;
  /** What is said of real mail before it is sent. */
  warnings: string[];
  processes: string[];
  failed: Promise<never>;
  stop(): Promise<void>;
}

export async function startPosthorn(
  options: StartOptions,
  environment: Environment,
  report: Say,
): Promise<Posthorn> {
  const config = readConfig(AllInOneConfig, environment);
  const directory = new DataDirectory(config.dataDirectory);
  const started = new Started();
  try {
    const lock = lockDirectory(directory.path);
    started.add(() => lock.release());
    await refuseTakenPort(config.port, 'PORT');
    if (!config.smtpUrl) await refuseTakenPort(config.inboxPort, 'INBOX_PORT');
    await stopServicesLeftBehind(directory.readProcessesFile(), report);
    const { separateDatabases, pooler } =
      options.as === 'processes' ? options : { separateDatabases: false, pooler: false };
    const servers = await startServers(
      { config, environment, directory, separateDatabases, pooler, report },
      started,
    );
    const inboundPort = await inboundPortOf(config.port, environment);
    const given = serviceEnvironment(config, directory, servers, {
      ...(inboundPort ? { INBOUND_PORT: String(inboundPort) } : {}),
      ...environment,
    });
    const { url, processes } = await startServices(
      options,
      { environment: given, directory, port: config.port, report },
      started,
    );
    const dev = await prepareDemo(config, directory, servers, url);
    const smtp = config.smtpUrl ? new URL(config.smtpUrl).host : 'the development inbox';
    return {
      dev,
      pagesUrl: environment['PUBLIC_URL'] || dev.baseUrl,
      inbox: servers.inbox,
      dataDirectory: directory.path,
      smtp,
      inboundPort,
      warnings: config.smtpUrl ? warningsOf(environment) : [],
      processes,
      failed: servers.failed,
      stop: () => started.stop(),
    };
  } catch (error) {
    await started.stop();
    throw error;
  }
}

const aboutRealMail = 'see docs/operating/real-mail.md';

function warningsOf(environment: Environment): string[] {
  const returnsNowhere = !environment['MAIL_HOST'] && !environment['RETURN_PATH_DOMAIN'];
  return [
    `Mail is signed only from domains whose DNS records are verified; the demo domain is not yours: ${aboutRealMail}`,
    ...(returnsNowhere
      ? [
          `MAIL_HOST is not set: bounces go to the sender's domain, where Posthorn never sees them: ${aboutRealMail}`,
        ]
      : []),
  ];
}

/** The port of contracts and guides for a development machine, on which port 25 needs more rights. */
const usualInboundPort = 2_525;

/** The development inbox needs no rate limit. */
function serviceEnvironment(
  config: AllInOneConfig,
  directory: DataDirectory,
  servers: Servers,
  environment: Environment,
): Environment {
  const intoInbox = servers.inbox
    ? {
        SMTP_URL: servers.inbox.smtpUrl,
        SENDING_PROVIDER: 'capture',
        SENDING_RATE_PER_SECOND: environment['SENDING_RATE_PER_SECOND'] ?? '0',
      }
    : {};
  return {
    LOG_LEVEL: 'info',
    LOG_FORMAT: 'text',
    ...ownPages(config.port),
    DEV_VERIFIED_DOMAINS: config.devDomains,
    SIGN_UP: 'open',
    SIMULATOR: 'true',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    ...environment,
    ...intoInbox,
    DATABASE_URL: undefined,
    NATS_URL: undefined,
    ...servers.databases,
    ...servers.buses,
    PORT: String(config.port),
    POSTHORN_SECRET_KEY: config.secretKey ?? directory.secretKey(),
  };
}

/** Where bounces and complaints arrive; null where the caller wants no fixed ports. */
async function inboundPortOf(port: number, { INBOUND_PORT: wanted }: Environment): Promise<number | null> {
  if (wanted) return Number(wanted);
  return port === 0 ? null : preferPort(usualInboundPort);
}

/** The address that is printed; a port that is not known yet cannot be in it. */
const ownPages = (port: number): Environment =>
  port === 0 ? {} : { PUBLIC_URL: `http://127.0.0.1:${port}`, TRUSTED_ORIGINS: `http://localhost:${port}` };

async function startServices(
  options: StartOptions,
  parts: { environment: Environment; directory: DataDirectory; port: number; report: Say },
  started: Started,
): Promise<Serving> {
  if (options.as === 'processes') return startAsProcesses({ options, ...parts }, started);
  const { startInOneProcess } = await import('./all-in-one.js');
  const { url } = await startInOneProcess(parts.environment, started, parts.report);
  return { url, processes: [] };
}

async function prepareDemo(
  config: AllInOneConfig,
  directory: DataDirectory,
  servers: Servers,
  baseUrl: string,
): Promise<DevFile> {
  const connection = await BusConnection.open({
    url: servers.natsUrl,
    certificates: servers.certificates,
    name: 'npm start',
  });
  try {
    const domains = config.devDomains.split(',').flatMap((name) => name.trim() || []);
    const bus = new Bus(connection);
    await vouchForSystemMail(bus, config.systemMailFrom);
    const demo = await ensureDemo(bus, directory.readDevFile(), domains);
    const { projectId, secretKey, publicKey, formKey, user } = demo;
    const dev: DevFile = {
      baseUrl,
      inboxUrl: servers.inbox?.url ?? '',
      projectId,
      secretKey,
      publicKey,
      formKey,
      user,
    };
    directory.writeDevFile(dev);
    return dev;
  } finally {
    await connection.close();
  }
}
