import { parse } from 'yaml';
import type { Manifest, Target } from './manifest.js';

/** What each is called in the values of the chart, and the folder of deploy/kubernetes/components that says what it is. */
const components = {
  gatewayApi: 'gateway-api',
  ingress: 'ingress',
  certManager: 'cert-manager',
  mailLoadBalancer: 'mail-load-balancer',
  keda: 'keda',
  prometheusAdapter: 'prometheus-adapter',
  cloudnativePg: 'cloudnative-pg',
};

/** Names of an example installation, which every other one replaces. */
const examples: Record<string, string> = {
  'mail.example.com': 'hosts.public',
  'mx.mail.example.com': 'hosts.mail',
  'postmaster@example.com': 'hosts.postmaster',
};

/** The same objects as the components have for kustomize. */
export function chartComponents(
  target: Target,
  read: (path: string) => string,
): Record<string, { folder: string; objects: Manifest[] }> {
  const objectsIn = (folder: string): Manifest[] => {
    const path = `deploy/kubernetes/components/${folder}`;
    const { resources } = parse(read(`${path}/kustomization.yaml`)) as { resources: string[] };
    return resources.map((name) => {
      const object = replaced(parse(read(`${path}/${name}`)), target) as Manifest;
      return { ...object, metadata: { ...object.metadata, namespace: target.namespace } };
    });
  };
  return Object.fromEntries(
    Object.entries(components).map(([name, folder]) => [name, { folder, objects: objectsIn(folder) }]),
  );
}

function replaced(value: unknown, target: Target): unknown {
  if (typeof value === 'string') return examples[value] ? target.given(examples[value], value) : value;
  if (Array.isArray(value)) return value.map((each) => replaced(each, target));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaced(member, target)]));
}
