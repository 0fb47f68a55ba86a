import { ConfigError, readConfig, variablesOf, type ServiceConfig } from '@posthorn/platform';
import { Ajv } from 'ajv';
import { parseDocument } from 'yaml';
import { composeSchema } from './compose-schema.js';
import type { Tree } from './tree.js';

export interface ComposeService {
  image: string;
  build?: { context: string; dockerfile: string };
  command?: string[];
  environment?: Record<string, string | number | boolean>;
  ports?: string[];
  volumes?: string[];
  read_only?: boolean;
  stop_grace_period?: string;
  healthcheck?: { test?: string[]; disable?: boolean };
  entrypoint?: string[];
  networks?: string[];
  depends_on?: Record<string, { condition: string }>;
}

export interface Compose {
  services: Record<string, ComposeService>;
  volumes?: Record<string, object>;
  networks?: Record<string, { internal?: boolean }>;
}

/** What Compose puts for `${NAME:?…}` comes from a file that is not in the tree: any text long enough for a key. */
const given = 'given-in-dotenv-0123456789abcdef0123456789abcdef';
const variable = /\$\{([A-Z_]+)(?::([-?])([^{}]*))?\}/g;
/** They run and end, and answer no requests. */
const tools = new Set(['provision', 'operator']);
/** Belong to the container, whatever `.env` says. */
const fixed = new Set(['ADMIN_HOST', 'ADMIN_PORT', 'HOST', 'PORT']);

/** Everything in docker-compose.yml that would not work, each in words; nothing when it is sound. */
export function composeFindings(text: string, tree: Tree): string[] {
  const document = parseDocument(text, { merge: true });
  if (document.errors.length > 0) return document.errors.map(({ message }) => message.split('\n')[0]!);
  const content = document.toJS() as object;
  const validate = new Ajv({ allErrors: true, strictTuples: false, allowUnionTypes: true }).compile(
    composeSchema,
  );
  if (!validate(content)) return (validate.errors ?? []).map(describeSchemaError);
  const compose = content as unknown as Compose;
  const ours = Object.entries(compose.services).filter(([name, { build }]) => build && !tools.has(name));
  return [
    ...[...text.matchAll(/\$\{?[A-Z_]+\}?(?![:A-Z_}])/g)].map(
      ([text]) => `${text} may be empty: give it a default (:-) or demand it (:?)`,
    ),
    ...Object.entries(compose.services).flatMap((entry) => generalFindings(entry, compose, tree)),
    ...ours.flatMap((entry) => ownFindings(entry, compose, tree)),
    ...Object.keys(tree.services)
      .filter((name) => !ours.some(([key]) => key === name))
      .map((name) => `${name} is a service of this tree and is missing`),
  ];
}

export function readCompose(text: string): Compose {
  return parseDocument(text, { merge: true }).toJS() as unknown as Compose;
}

/** The environment of a service as Compose would give it, with nothing but what must be in `.env`. */
export function environmentOf({ environment = {} }: ComposeService): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, interpolated(String(value))]),
  );
}

/** From the inside out: a default may name a variable itself. */
function interpolated(value: string): string {
  const next = value.replace(variable, (_, _name, mark: string | undefined, rest: string | undefined) =>
    mark === '-' ? (rest ?? '') : given,
  );
  return next === value ? value : interpolated(next);
}

function describeSchemaError({
  instancePath,
  message,
  params,
}: {
  instancePath: string;
  message?: string;
  params: object;
}): string {
  const extra = 'additionalProperty' in params ? ` (${String(params.additionalProperty)})` : '';
  return `${instancePath || 'the file'} ${message}${extra}`;
}

function generalFindings([name, service]: [string, ComposeService], compose: Compose, tree: Tree): string[] {
  const findings: string[] = [];
  const report = (finding: string) => findings.push(`${name}: ${finding}`);
  if (!/^[^:]+:[^:]+$/.test(service.image) || service.image.endsWith(':latest'))
    report(`image ${service.image} needs a tag that stays`);
  for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
    if (!compose.services[other]) report(`depends on ${other}, which is no service`);
    else if (condition === 'service_healthy' && !compose.services[other].healthcheck?.test)
      report(`waits for ${other}, which has no healthcheck`);
  }
  for (const volume of service.volumes ?? []) {
    const [source] = volume.split(':') as [string];
    const known = /^[./]/.test(source) ? tree.has(source) : compose.volumes?.[source] !== undefined;
    if (!known) report(`volume ${source} is not there`);
  }
  if (!service.networks) report('is in the network of everybody: name its networks');
  for (const network of service.networks ?? [])
    if (!compose.networks?.[network]) report(`network ${network} is not there`);
  for (const other of service.image === 'posthorn:local' ? [] : ['data', 'bus'])
    if (service.networks?.includes(other) && service.networks.length > 1)
      report(`joins ${service.networks.join(' and ')}: an image of others stays in one network`);
  // Docker opens what it publishes past the firewall of the machine.
  for (const port of service.ports ?? [])
    if (!port.startsWith('127.0.0.1:')) report(`publishes ${port} on all addresses, not on 127.0.0.1`);
  return findings;
}

/** What holds for the services that are built here: their names, their environment, and how they stop. */
function ownFindings([name, service]: [string, ComposeService], compose: Compose, tree: Tree): string[] {
  const { context, dockerfile } = service.build!;
  const shape = tree.services[name];
  const findings: string[] = [];
  if (!tree.has(context) || !tree.has(dockerfile))
    findings.push(`build: ${context} or ${dockerfile} is not there`);
  if (!shape) findings.push('is no service of this tree');
  else findings.push(...environmentFindings(name, service, shape, compose));
  if (service.command?.join(' ') !== name)
    findings.push(`command is [${service.command?.join(', ')}], not [${name}]`);
  if (!service.read_only) findings.push('its root can be written to');
  if (!service.healthcheck) findings.push('has no healthcheck');
  const script = service.healthcheck?.test?.find((text) => text.endsWith('.mjs'));
  if (service.healthcheck && !(script && tree.has(`deploy/${script.split('/').pop()}`)))
    findings.push(`healthcheck: ${service.healthcheck.test?.join(' ')} runs no script of deploy/`);
  return findings.map((finding) => `${name}: ${finding}`);
}

function environmentFindings(
  name: string,
  service: ComposeService,
  shape: Tree['services'][string],
  compose: Compose,
): string[] {
  const environment = environmentOf(service);
  const known = Object.values(variablesOf(shape))
    .map((each) => each.name)
    .filter((each) => each !== 'DATABASE_URL');
  const own = `${name.toUpperCase()}_DATABASE_URL`;
  const direct = `${name.toUpperCase()}_DIRECT_DATABASE_URL`;
  const findings = Object.keys(environment)
    .filter((each) => ![...known, own, direct, 'DATABASE_URL'].includes(each))
    .map((each) => `${each} is no variable of it (docs/configuration.md)`);
  if (environment['DATABASE_URL'])
    findings.push('DATABASE_URL is the account that creates databases: only provision may hold it');
  if (!environment['NATS_URL']?.startsWith(`nats://${name}:`))
    findings.push('NATS_URL names another user than its own');
  for (const each of [...known, own, direct].filter((wanted) => !fixed.has(wanted)))
    if (!String(service.environment?.[each] ?? '').startsWith(`\${${each}:`))
      findings.push(`${each} of .env does not reach it`);
  for (const [each, value] of Object.entries(environment)) {
    const host =
      /^(postgres|nats|smtp)s?:/.test(value) && URL.canParse(value) ? new URL(value).hostname : null;
    if (host && !compose.services[host]) findings.push(`${each} names ${host}, which is no service`);
  }
  if (!environment[own]) findings.push(`has no database: ${own} is missing`);
  return [...findings, ...valueFindings(service, environment, shape)];
}

/** Read as the service itself will read it. */
function valueFindings(
  service: ComposeService,
  environment: Record<string, string>,
  shape: Tree['services'][string],
): string[] {
  let config: ServiceConfig & { dotTimeout?: number; port?: number; inboundPort?: number };
  try {
    config = readConfig(shape, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  const findings: string[] = [];
  const dotTimeout = config.dotTimeout ?? 0;
  if (seconds(service.stop_grace_period) <= Math.max(dotTimeout, 30))
    findings.push(
      `stop_grace_period ${service.stop_grace_period} is not longer than SMTP_DOT_TIMEOUT (${dotTimeout} s) or 30 s`,
    );
  for (const port of service.ports ?? []) {
    const inside = Number(port.split(':').pop());
    if (inside === config.adminPort) findings.push(`publishes its admin port ${inside}`);
    else if (inside !== config.port && inside !== config.inboundPort)
      findings.push(`publishes ${inside}, where nothing listens`);
  }
  return findings;
}

function seconds(duration = '10s'): number {
  const units: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3_600 };
  return [...duration.matchAll(/(\d+)(ms|s|m|h)/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * units[unit!]!,
    0,
  );
}
