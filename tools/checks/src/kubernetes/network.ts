import { BlockList } from 'node:net';
import type { KubernetesObject } from './rendered.js';
import { isSelected, type LabelSelector } from './workload.js';

/** Somebody who may speak with somebody: a pod by its labels and the name of its namespace, or an address outside. */
export type Party = { labels: Record<string, string>; namespace: string } | { address: string };

interface Peer {
  podSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  ipBlock?: { cidr: string; except?: string[] };
}

interface Rule {
  from?: Peer[];
  to?: Peer[];
  ports?: { port: number; protocol?: string }[];
}

interface Policy {
  podSelector: LabelSelector;
  policyTypes: string[];
  ingress?: Rule[];
  egress?: Rule[];
}

const own = 'posthorn';

const pod = (component: string): Party => ({
  namespace: own,
  labels: {
    'app.kubernetes.io/name': 'posthorn',
    'app.kubernetes.io/component': component,
    'app.kubernetes.io/part-of': 'posthorn',
  },
});

const parties: Record<string, Party> = {
  ...Object.fromEntries(
    [
      'gateway',
      'sending',
      'contacts',
      'campaigns',
      'workflows',
      'analytics',
      'provision',
      'migrate',
      'operator',
    ].map((name) => [name, pod(name)]),
  ),
  nats: { namespace: own, labels: { 'app.kubernetes.io/name': 'nats' } },
  postgres: { namespace: own, labels: { 'cnpg.io/cluster': 'posthorn-postgres' } },
  'the operator of Postgres': { namespace: 'cnpg-system', labels: {} },
  'an answer to a challenge': { namespace: own, labels: { 'acme.cert-manager.io/http01-solver': 'true' } },
  'any pod of the namespace': { namespace: own, labels: { app: 'any' } },
  proxy: { namespace: 'ingress', labels: {} },
  prometheus: { namespace: 'monitoring', labels: {} },
  'kube-dns': { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } },
  'a stranger': { namespace: 'shop', labels: {} },
  'the Internet': { address: '203.0.113.9' },
  'the Internet (v6)': { address: '2001:db8::9' },
  'a private address': { address: '10.1.2.3' },
  'the metadata of the machine': { address: '169.254.169.254' },
};

const numbers = [
  22, 25, 53, 80, 443, 465, 587, 2525, 3000, 4222, 4318, 5432, 6222, 6443, 7777, 8000, 8080, 8089, 8443, 9090,
  9187,
];

const outsiders = Object.keys(parties).filter((name) => !isOurs(parties[name]!));
const services = ['gateway', 'sending', 'contacts', 'campaigns', 'workflows', 'analytics'];
const both = (from: string, ports: number[]) =>
  ports.flatMap((port) => [`${from} → the Internet:${port}`, `${from} → the Internet (v6):${port}`]);

/** Everybody who may speak with anybody; whatever is not in here must be refused. */
const allowedPairs: readonly string[] = [
  'proxy → gateway:3000',
  ...services.flatMap((name) => [
    `prometheus → ${name}:9090`,
    `${name} → nats:4222`,
    `${name} → kube-dns:53`,
    `${name} → prometheus:4318`,
  ]),
  ...['provision', 'migrate', 'nats', 'operator'].map((name) => `${name} → kube-dns:53`),
  'operator → nats:4222',
  'nats → nats:6222',
  'prometheus → nats:7777',
  ...both('gateway', [443]),
  ...both('sending', [25, 465, 587]),
  ...both('workflows', [80, 443, 8080, 8443]),
];
/** Bounces come from anywhere; only addresses of the Internet are clients, but a node may hide them behind its own. */
const mailPairs = [
  'the Internet',
  'the Internet (v6)',
  'a private address',
  'the metadata of the machine',
].map((name) => `${name} → sending:2525`);
/** With an operator of Postgres in the cluster. */
const postgresPairs = [
  ...[...services, 'provision', 'migrate', 'postgres', 'the operator of Postgres'].map(
    (name) => `${name} → postgres:5432`,
  ),
  'the operator of Postgres → postgres:8000',
  'prometheus → postgres:9187',
  'postgres → kube-dns:53',
  // The API of the cluster, and the object storage of backups, wherever they are.
  ...outsiders.flatMap((name) => [443, 6443].map((port) => `postgres → ${name}:${port}`)),
];
/** Where Postgres is, the policies do not know without it. */
const postgresAnywhere = [...services, 'provision', 'migrate'].flatMap((from) =>
  outsiders.map((to) => `${from} → ${to}:5432`),
);

/** The policies as a matrix: each pair of parties and each port that means something. */
export function networkFindings(objects: readonly KubernetesObject[]): string[] {
  const policies = objects
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map((object) => object['spec'] as unknown as Policy);
  const isThere = (kind: string) => objects.some((object) => object.kind === kind);
  const takesMail = objects.some(({ kind, metadata }) => kind === 'Service' && metadata.name === 'mail');
  const expected = new Set([
    ...allowedPairs,
    ...(takesMail ? mailPairs : []),
    ...(isThere('Issuer') ? ['proxy → an answer to a challenge:8089'] : []),
    ...(isThere('Cluster') ? postgresPairs : postgresAnywhere),
  ]);
  const found = new Set<string>();
  for (const [from, sender] of Object.entries(parties)) {
    for (const [to, receiver] of Object.entries(parties)) {
      for (const port of numbers.filter(() => isOurs(sender) || isOurs(receiver)))
        if (mayReach(policies, sender, receiver, port)) found.add(`${from} → ${to}:${port}`);
    }
  }
  return [
    ...[...found].filter((pair) => !expected.has(pair)).map((pair) => `nothing refuses ${pair}`),
    ...[...expected].filter((pair) => !found.has(pair)).map((pair) => `nothing allows ${pair}`),
  ];
}

function isOurs(party: Party): boolean {
  return 'namespace' in party && party.namespace === own;
}

function mayReach(policies: readonly Policy[], from: Party, to: Party, port: number): boolean {
  return isOpen(policies, from, to, port, 'Egress') && isOpen(policies, to, from, port, 'Ingress');
}

/** Where no policy selects a pod, everything is allowed, as in the cluster. */
function isOpen(
  policies: readonly Policy[],
  subject: Party,
  peer: Party,
  port: number,
  direction: 'Ingress' | 'Egress',
): boolean {
  if (!('labels' in subject) || !isOurs(subject)) return true;
  const selecting = policies.filter(
    ({ podSelector, policyTypes }) =>
      policyTypes.includes(direction) && isSelected(podSelector, subject.labels),
  );
  if (selecting.length === 0) return true;
  return selecting
    .flatMap(({ ingress, egress }) => (direction === 'Ingress' ? ingress : egress) ?? [])
    .some(({ from, to, ports }) => {
      const peers = direction === 'Ingress' ? from : to;
      const fits = peers === undefined || peers.some((each) => isPeer(each, peer));
      return fits && (ports === undefined || ports.some((each) => each.port === port));
    });
}

function isPeer({ podSelector, namespaceSelector, ipBlock }: Peer, party: Party): boolean {
  if (ipBlock)
    return (
      'address' in party &&
      isIn(ipBlock.cidr, party.address) &&
      !ipBlock.except?.some((range) => isIn(range, party.address))
    );
  if ('address' in party) return false;
  const namespaceFits = namespaceSelector
    ? isSelected(namespaceSelector, { 'kubernetes.io/metadata.name': party.namespace })
    : party.namespace === own;
  return namespaceFits && isSelected(podSelector, party.labels);
}

function isIn(range: string, address: string): boolean {
  const family = (text: string) => (text.includes(':') ? 'ipv6' : 'ipv4');
  if (family(range) !== family(address)) return false;
  const [network, bits] = range.split('/');
  const list = new BlockList();
  list.addSubnet(network!, Number(bits), family(range));
  return list.check(address, family(address));
}
