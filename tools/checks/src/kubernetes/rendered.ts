import { parseAllDocuments } from 'yaml';
import type { KubernetesTools } from './tools.js';

export interface Metadata {
  name: string;
  namespace?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: Metadata;
  [member: string]: unknown;
}

export const render = async (tools: KubernetesTools, folder: string): Promise<KubernetesObject[]> =>
  readObjects(await tools.kubectl('kustomize', folder));

export const renderChart = async (tools: KubernetesTools, ...values: string[]): Promise<KubernetesObject[]> =>
  readObjects(
    await tools.helm('template', 'posthorn', 'deploy/kubernetes/chart', '--namespace', 'posthorn', ...values),
  );

export function readObjects(text: string): KubernetesObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0]!;
    const content = document.toJS() as KubernetesObject | null;
    return content === null ? [] : [content];
  });
}

export const nameOf = ({ kind, metadata }: KubernetesObject): string => `${kind} ${metadata.name}`;

/** Kustomize puts a hash at the end of the name of the settings, the chart one beside them. */
const hashed = /^posthorn-[a-z0-9]{10}$/;

/** What the two ways of installing differ in, in words. The namespace is made by Helm itself. */
export function differences(
  kustomized: readonly KubernetesObject[],
  charted: readonly KubernetesObject[],
): string[] {
  const [one, other] = [kustomized, charted].map(
    (objects) =>
      new Map(
        objects
          .filter(({ kind }) => kind !== 'Namespace')
          .map((object) => normal(object) as KubernetesObject)
          .map((object) => [nameOf(object), JSON.stringify(object)]),
      ),
  ) as [Map<string, string>, Map<string, string>];
  return [...new Set([...one.keys(), ...other.keys()])].sort().flatMap((name) => {
    if (!other.has(name)) return [`${name} is missing in the chart`];
    if (!one.has(name)) return [`${name} is in the chart only`];
    return one.get(name) === other.get(name)
      ? []
      : [`${name}: ${firstDifference(one.get(name)!, other.get(name)!)}`];
  });
}

function normal(value: unknown): unknown {
  if (typeof value === 'string') return hashed.test(value) ? 'posthorn' : value;
  if (Array.isArray(value)) return value.map(normal);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value)
    .filter(([name]) => name !== 'checksum/settings')
    .map(([name, member]) => [name, normal(member)] as const)
    .filter(([, member]) => !isEmpty(member))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members);
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0);

function firstDifference(one: string, other: string): string {
  const at = [...one].findIndex((character, index) => character !== other[index]);
  return `kustomize …${one.slice(Math.max(0, at - 40), at + 40)}…, chart …${other.slice(Math.max(0, at - 40), at + 40)}…`;
}
