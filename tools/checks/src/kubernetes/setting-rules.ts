import {
  ConfigError,
  readConfig,
  variablesOf,
  type ConfigShape,
  type ServiceConfig,
} from '@posthorn/platform';
import type { Tree } from '../deploy/tree.js';
import { nameOf, type KubernetesObject } from './rendered.js';
import { componentOf, type EnvironmentEntry, type Workload } from './workload.js';

type Shape = ConfigShape<ServiceConfig>;
type Data = Record<string, string>;

const given = 'given-in-a-secret-0123456789abcdef0123456789abcdef';

/** Settings and secrets: what is named is known, what is needed is there, and nothing secret stands in the environment. */
export function settingFindings(
  objects: readonly KubernetesObject[],
  workloads: readonly Workload[],
  secrets: readonly KubernetesObject[],
  tree: Tree,
): string[] {
  const maps = new Map(
    objects
      .filter(({ kind }) => kind === 'ConfigMap')
      .map(({ metadata, data }) => [metadata.name, data as Data]),
  );
  const keys = new Map(
    secrets.map((secret) => [secret.metadata.name, Object.keys(secret['stringData'] as Data)]),
  );
  const services = workloads.filter(({ kind }) => kind === 'Deployment');
  return [
    ...workloads.flatMap((workload) => [
      ...secretFindings(workload, keys).map((finding) => `${workload.name}: ${finding}`),
      ...mapFindings(workload, maps).map((finding) => `${workload.name}: ${finding}`),
    ]),
    ...services.flatMap((workload) => {
      const shape = tree.services[componentOf(workload)];
      if (!shape) return [`${workload.name} is no service of this tree`];
      return serviceFindings(workload, shape, maps).map((finding) => `${workload.name}: ${finding}`);
    }),
    ...Object.keys(tree.services)
      .filter((name) => !services.some((workload) => workload.name === name))
      .map((name) => `${name} is a service of this tree and has no Deployment`),
    ...unknownSettings(maps, services),
    ...unusedKeys(secrets, workloads),
  ];
}

/** A file of a secret is where the pod says that it is, and is one that its Secret has. */
function secretFindings({ container, pod }: Workload, keys: ReadonlyMap<string, string[]>): string[] {
  return (container.env ?? []).flatMap(({ name, value, valueFrom }) => {
    if (valueFrom?.secretKeyRef)
      return [`${name} puts a secret into the environment: mount it and name its file`];
    const mount = container.volumeMounts?.find(({ mountPath }) => value?.startsWith(`${mountPath}/`));
    const secret = pod.volumes?.find((volume) => volume.name === mount?.name)?.secret?.secretName;
    if (!name.endsWith('_FILE') || value === undefined) return [];
    if (!secret) return [`${name} is ${value}, where no Secret is mounted`];
    const key = value.slice(mount!.mountPath.length + 1);
    if (!keys.has(secret)) return [`${name}: there is no Secret ${secret}`];
    return keys.get(secret)!.includes(key) ? [] : [`${name}: Secret ${secret} has no key ${key}`];
  });
}

function mapFindings({ container }: Workload, maps: ReadonlyMap<string, Data>): string[] {
  return [
    ...(container.envFrom ? ['takes a whole map: name what it reads'] : []),
    ...(container.env ?? []).flatMap(({ name, valueFrom }) => {
      const wanted = valueFrom?.configMapKeyRef;
      if (!wanted) return [];
      const data = maps.get(wanted.name);
      if (!data && isOurs(wanted.name)) return [`${name}: there is no ConfigMap ${wanted.name}`];
      return wanted.optional || data?.[wanted.key] !== undefined
        ? []
        : [`${name}: ${wanted.name} has no ${wanted.key}`];
    }),
  ];
}

/** That of the jobs is there only where somebody needs it. */
const isOurs = (map: string): boolean => map !== 'posthorn-jobs';

/** Read as the service itself will read it. */
function serviceFindings(workload: Workload, shape: Shape, maps: ReadonlyMap<string, Data>): string[] {
  const entries = workload.container.env ?? [];
  const variables = Object.values(variablesOf(shape));
  const own = `${workload.name.toUpperCase()}_DATABASE_URL`;
  const secret = new Set([own, ...variables.filter((each) => each.secret).map(({ name }) => name)]);
  const known = new Set([...secret, ...variables.map(({ name }) => name)]);
  const findings = entries.flatMap(({ name }) => {
    const plain = name.replace(/_FILE$/, '');
    if (secret.has(name)) return [`${name} is a secret and belongs in a file`];
    return known.has(name) || (name !== plain && secret.has(plain)) ? [] : [`${name} is no variable of it`];
  });
  const names = entries.map(({ name }) => name);
  if (names.includes('DATABASE_URL_FILE')) findings.push('holds the account that creates databases');
  if (!names.includes(`${own}_FILE`)) findings.push(`has no database: ${own}_FILE is missing`);
  if (
    known.has('MIGRATE_AT_START') &&
    !entries.some(({ name, value }) => name === 'MIGRATE_AT_START' && value === 'false')
  )
    findings.push('migrates when it starts: MIGRATE_AT_START is not false');
  if (workload.container.args?.join(' ') !== workload.name)
    findings.push(`starts [${workload.container.args?.join(' ')}], not [${workload.name}]`);
  return [...findings, ...valueFindings(workload, shape, environmentOf(entries, maps, secret))];
}

function valueFindings({ pod }: Workload, shape: Shape, environment: Data): string[] {
  let config: ServiceConfig & { dotTimeout?: number; drainMs?: number };
  try {
    config = readConfig(shape, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  const longest = Math.max(config.dotTimeout ?? 0, (config.drainMs ?? 0) / 1_000 + 20, 30);
  const grace = pod.terminationGracePeriodSeconds ?? 30;
  return grace > longest ? [] : [`is killed after ${grace} s, while stopping may take ${longest} s`];
}

function environmentOf(
  entries: readonly EnvironmentEntry[],
  maps: ReadonlyMap<string, Data>,
  secret: ReadonlySet<string>,
): Data {
  return Object.fromEntries(
    entries.flatMap(({ name, value, valueFrom }): [string, string][] => {
      const wanted = valueFrom?.configMapKeyRef;
      const text = wanted ? maps.get(wanted.name)?.[wanted.key] : value;
      if (text === undefined) return [];
      const plain = name.replace(/_FILE$/, '');
      return name !== plain && secret.has(plain) ? [secretFor(plain)] : [[name, text]];
    }),
  );
}

function secretFor(name: string): [string, string] {
  const [, server] = /(DATABASE|NATS|SMTP)_URL$/.exec(name) ?? [];
  const schemes: Record<string, string> = { DATABASE: 'postgres', NATS: 'nats', SMTP: 'smtp' };
  return [name, server ? `${schemes[server]}://${server.toLowerCase()}.example:1` : given];
}

/** A setting that nobody reads is a mistake in writing. */
function unknownSettings(maps: ReadonlyMap<string, Data>, services: readonly Workload[]): string[] {
  const read = new Set(
    services.flatMap(({ container }) =>
      (container.env ?? []).flatMap(({ valueFrom }) =>
        valueFrom?.configMapKeyRef
          ? [`${valueFrom.configMapKeyRef.name}/${valueFrom.configMapKeyRef.key}`]
          : [],
      ),
    ),
  );
  const used = new Set([...read].map((path) => path.split('/')[0]!));
  return [...maps]
    .filter(([name]) => used.has(name))
    .flatMap(([name, data]) => Object.keys(data).map((key) => [name, key] as const))
    .filter(([name, key]) => !read.has(`${name}/${key}`))
    .map(([name, key]) => `ConfigMap ${name}: no service reads ${key}`);
}

/** Read by nobody in the cluster but NATS and the operator's commands. */
const ofOthers = new Set(['posthorn-nats', 'posthorn-operator']);

function unusedKeys(secrets: readonly KubernetesObject[], workloads: readonly Workload[]): string[] {
  const used = new Set(
    workloads.flatMap(({ container, pod }) =>
      (container.env ?? []).map(
        ({ value }) => `${pod.volumes?.find((each) => each.secret)?.secret?.secretName}${value}`,
      ),
    ),
  );
  return secrets
    .filter(({ metadata }) => !ofOthers.has(metadata.name))
    .flatMap((secret) =>
      Object.keys(secret['stringData'] as Data)
        .filter(
          (key) =>
            ![...used].some(
              (path) => path.startsWith(`${secret.metadata.name}/`) && path.endsWith(`/${key}`),
            ),
        )
        .map((key) => `${nameOf(secret)}: nothing uses its key ${key}`),
    );
}
