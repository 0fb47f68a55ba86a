import type { ServiceName } from '@posthorn/contracts';
import { DevServerError } from '@posthorn/dev';
import { readArguments, variablesOf, type Environment } from '@posthorn/platform';
import { AllInOneConfig } from './config.js';

export type StartOptions = { as: 'one-process' } | ProcessesOptions;

export interface ProcessesOptions {
  as: 'processes';
  replicas: Partial<Record<ServiceName, number>>;
  separateDatabases: boolean;
  /** PgBouncer between the services and their databases. */
  pooler: boolean;
}

const maxReplicas = 16;
const command = 'npm run start:services --';
const usage = `${command} [--replicas gateway=2,sending=2] [--separate-databases] [--pooler]`;

export function readStartOptions(
  texts: string[],
  environment: Environment,
  services: readonly ServiceName[],
): StartOptions {
  const stored = ['replicas', 'separate-databases', 'pooler'].find(
    (name) => environment[`npm_config_${name.replaceAll('-', '_')}`] !== undefined,
  );
  if (stored)
    throw new DevServerError(
      `npm consumed --${stored} as its own option; put two dashes before it: ${usage}`,
    );
  const { values, flags } = readArguments(texts, {
    options: ['replicas'],
    flags: ['services', 'separate-databases', 'pooler'],
    help: `${command} --help`,
  });
  const { replicas } = values;
  const separateDatabases = flags.has('separate-databases');
  const pooler = flags.has('pooler');
  if (!flags.has('services') && (replicas !== undefined || separateDatabases || pooler))
    throw new DevServerError(`replicas, separate databases and a pooler require start:services: ${usage}`);
  if (!flags.has('services')) return { as: 'one-process' };
  if (separateDatabases && environment['DATABASE_URL'])
    throw new DevServerError(
      'DATABASE_URL configures one server for all services: remove --separate-databases, or set one URL per service (SENDING_DATABASE_URL, …)',
    );
  return { as: 'processes', replicas: readReplicas(replicas ?? '', services), separateDatabases, pooler };
}

export function startHelp(): string {
  const settings = Object.values(variablesOf(AllInOneConfig)).map(
    ({ name, describe, default: preset }) => `  ${name.padEnd(22)}${describe}${preset ? ` (${preset})` : ''}`,
  );
  return `usage:
  npm start
      runs every service in one process
  ${usage}
      runs each service in a process of its own: with replicas, with a PostgreSQL server for each service, and with PgBouncer in transaction mode before all

Settings are environment variables, such as PORT=8080 npm start:
${settings.join('\n')}

docs/configuration.md lists those of the services.`;
}

function readReplicas(text: string, services: readonly ServiceName[]): Partial<Record<ServiceName, number>> {
  const replicas: Partial<Record<ServiceName, number>> = {};
  for (const part of text.split(',').flatMap((each) => each.trim() || [])) {
    const [, name, count] = /^([a-z]+)=(\d{1,3})$/.exec(part) ?? [];
    const service = services.find((known) => known === name);
    if (name && !service)
      throw new DevServerError(`--replicas: unknown service ${name}; use one of ${services.join(', ')}`);
    if (!service || Number(count) < 1 || Number(count) > maxReplicas)
      throw new DevServerError(
        `--replicas: ${part} is not <service>=<1 to ${maxReplicas}>, such as gateway=2`,
      );
    if (replicas[service]) throw new DevServerError(`--replicas: ${service} is given twice`);
    replicas[service] = Number(count);
  }
  return replicas;
}
