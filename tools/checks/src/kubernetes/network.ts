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

const numbers = [22, 25, 53, 80, 443, 465, 587, 2525, 3000, 4222, 4318, 6222, 6443, 7777, 8080, 8443, 9090];
const postgresPort = 5_432;

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
const usesPostgres = new Set([...services, 'provision', 'migrate']);

/** The policies as a matrix: each pair of parties and each port that means something. */
export function networkFindings(
  objects: readonly KubernetesObject[],
  extra: readonly string[] = [],
): string[] {
  const policies = objects
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map((object) => object['spec'] as unknown as Policy);
  const expected = new Set([...allowedPairs, ...extra]);
  const found = new Set<string>();
  const findings: string[] = [];
  for (const [from, sender] of Object.entries(parties)) {
    for (const [to, receiver] of Object.entries(parties)) {
      for (const port of numbers.filter(() => isOurs(sender) || isOurs(receiver)))
        if (mayReach(policies, sender, receiver, port)) found.add(`${from} → ${to}:${port}`);
    }
    // Where Postgres is, the policies may not know: in any case nobody else may look for it.
    const finds = mayReach(policies, sender, { namespace: 'databases', labels: {} }, postgresPort);
    if (isOurs(sender) && finds && !usesPostgres.has(from)) findings.push(`${from} may look for Postgres`);
  }
  return [
    ...findings,
    ...[...found].filter((pair) => !expected.has(pair)).map((pair) => `nothing refuses ${pair}`),
    ...[...expected].filter((pair) => !found.has(pair)).map((pair) => `nothing allows ${pair}`),
  ];
}

const isOurs = (party: Party): boolean => 'namespace' in party && party.namespace === own;

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
