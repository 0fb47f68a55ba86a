import { parseArgs } from 'node:util';
import type { ServiceName } from '@posthorn/contracts';
import { DevServerError } from '@posthorn/dev';
import type { Environment } from '@posthorn/platform';

export type StartOptions = { as: 'one-process' } | ProcessesOptions;

export interface ProcessesOptions {
  as: 'processes';
  replicas: Partial<Record<ServiceName, number>>;
  separateDatabases: boolean;
}

const maxReplicas = 16;
const command = 'npm run start:services --';
const usage = `${command} [--replicas gateway=2,sending=2] [--separate-databases]`;

export function readStartOptions(
  texts: string[],
  environment: Environment,
  services: readonly ServiceName[],
): StartOptions {
  const stored = ['replicas', 'separate-databases'].find(
    (name) => environment[`npm_config_${name.replaceAll('-', '_')}`] !== undefined,
  );
  if (stored)
    throw new DevServerError(
      `npm consumed --${stored} as its own option; put two dashes before it: ${usage}`,
    );
  const values = parsed(texts);
  if (!values.services && (values.replicas !== undefined || values['separate-databases']))
    throw new DevServerError(`replicas and separate databases require start:services: ${usage}`);
  if (!values.services) return { as: 'one-process' };
  const separateDatabases = values['separate-databases'] ?? false;
  if (separateDatabases && environment['DATABASE_URL'])
    throw new DevServerError(
      'DATABASE_URL configures one server for all services: remove --separate-databases, or set one URL per service (SENDING_DATABASE_URL, …)',
    );
  return { as: 'processes', replicas: readReplicas(values.replicas ?? '', services), separateDatabases };
}

function parsed(texts: string[]): { services?: boolean; replicas?: string; 'separate-databases'?: boolean } {
  const options = {
    services: { type: 'boolean' },
    replicas: { type: 'string' },
    'separate-databases': { type: 'boolean' },
  } as const;
  try {
    return parseArgs({ args: texts, options }).values;
  } catch (error) {
    throw new DevServerError(`${(error as Error).message}\n  ${usage}`);
  }
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
