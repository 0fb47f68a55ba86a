import { busUsers, type ServiceName } from '@posthorn/contracts';
import { provisionSecrets } from './jobs.js';
import { labelsOf, type Manifest } from './manifest.js';
import { secretsOf } from './environment.js';
import type { ServicePlan } from './services.js';

type Entry = readonly [name: string, text: string];

/** What deploy/kubernetes/new-secrets.sh puts in the place of each `@NAME@`. */
export function secretObjects(plans: readonly ServicePlan[], namespace: string): Manifest[] {
  const secretOf = (name: string, component: string, entries: readonly Entry[]): Manifest => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, labels: labelsOf(component) },
    type: 'Opaque',
    stringData: Object.fromEntries(entries),
  });
  return [
    ...plans.map((plan) =>
      secretOf(`posthorn-${plan.name}`, plan.name, secretsOf(plan).map(ownText(plan.name))),
    ),
    secretOf('posthorn-provision', 'provision', provisionSecrets.map(ownText())),
    secretOf(
      'posthorn-nats',
      'nats',
      busUsers.map((user) => [`${user.toUpperCase()}_PASSWORD`, passwordOf(user)] as const),
    ),
    secretOf('posthorn-operator', 'operator', [['NATS_URL', natsUrl('operator')]]),
  ];
}

const passwordOf = (user: string): string => `@${user.toUpperCase()}_PASSWORD@`;
const natsUrl = (user: string): string => `nats://${user}:${passwordOf(user)}@@NATS@`;

const ownText =
  (service?: ServiceName) =>
  (name: string): Entry => [name, textOf(name, service)];

function textOf(name: string, service?: ServiceName): string {
  const owner = /^([A-Z]+)_DATABASE_URL$/.exec(name)?.[1]?.toLowerCase();
  if (owner) return `postgres://posthorn_${owner}:${passwordOf(owner)}@@POSTGRES@/posthorn_${owner}@OPTIONS@`;
  if (name === 'NATS_URL') return natsUrl(service!);
  return `@${name}@`;
}
