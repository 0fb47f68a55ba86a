import type { ServiceName } from '@posthorn/contracts';
import { labelsOf, product, selectorOf, type Manifest, type Target } from './manifest.js';
import { ports } from './environment.js';

interface Port {
  protocol: 'TCP' | 'UDP';
  port: number | string;
}

interface Rule {
  from?: object[];
  to?: object[];
  ports: Port[];
}

const tcp = (...numbers: number[]): Port[] => numbers.map((port) => ({ protocol: 'TCP', port }));
const inNamespace = (name: string) => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
});
const natsPods = { podSelector: { matchLabels: { 'app.kubernetes.io/name': 'nats' } } };
const ofPosthorn = { podSelector: { matchLabels: { 'app.kubernetes.io/part-of': product } } };

/** Where neither mail nor a webhook goes: pods, nodes, and the metadata of the machine. */
const privateRanges = {
  ipv4: ['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
  ipv6: ['fc00::/7', 'fe80::/10', '::1/128'],
};

/** Nothing gets in or out but what the other policies open. */
export const denyAll = ({ namespace }: Target): Manifest => ({
  ...policyHead('default-deny', namespace),
  spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] },
});

export function servicePolicy(service: ServiceName, target: Target): Manifest {
  return policyOf(service, target, {
    ingress: [fromMonitoring(target), ...(service === 'gateway' ? [fromIngress(target)] : [])],
    egress: [
      toDns(),
      { to: [natsPods], ports: tcp(4222) },
      toPostgres(target),
      toTracing(target),
      ...outside(service, target),
    ],
  });
}

/** Provisioning and migrations know only Postgres. */
export const jobPolicy = (job: 'provision' | 'migrate', target: Target): Manifest =>
  policyOf(job, target, { ingress: [], egress: [toDns(), toPostgres(target)] });

/** For `kubectl run`: commands of the operator speak with NATS only. */
export const operatorPolicy = (target: Target): Manifest =>
  policyOf('operator', target, { ingress: [], egress: [toDns(), { to: [natsPods], ports: tcp(4222) }] });

export const natsPolicy = (target: Target): Manifest => ({
  ...policyHead('nats', target.namespace),
  spec: {
    podSelector: natsPods.podSelector,
    policyTypes: ['Ingress', 'Egress'],
    ingress: [
      { from: [ofPosthorn], ports: tcp(4222) },
      { from: [natsPods], ports: tcp(6222) },
      { from: [inNamespace(target.given('network.monitoringNamespace', 'monitoring'))], ports: tcp(7777) },
    ],
    egress: [toDns(), { to: [natsPods], ports: tcp(6222) }],
  },
});

function policyOf(component: string, target: Target, rules: { ingress: Rule[]; egress: Rule[] }): Manifest {
  return {
    ...policyHead(component, target.namespace),
    spec: { podSelector: selectorOf(component), policyTypes: ['Ingress', 'Egress'], ...rules },
  };
}

const policyHead = (name: string, namespace: string) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name, namespace, labels: labelsOf(name) },
});

const toDns = (): Rule => ({
  to: [{ ...inNamespace('kube-system'), podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } } }],
  ports: [
    { protocol: 'UDP', port: 53 },
    { protocol: 'TCP', port: 53 },
  ],
});

/** Anywhere, because the server may be outside of the cluster; the component of an operator names its pods. */
const toPostgres = (target: Target): Rule => target.given<Rule>('network.postgres', { ports: tcp(5432) });

const toTracing = (target: Target): Rule => ({
  to: [inNamespace(target.given('network.monitoringNamespace', 'monitoring'))],
  ports: tcp(4_318),
});

const fromMonitoring = (target: Target): Rule => ({
  from: [inNamespace(target.given('network.monitoringNamespace', 'monitoring'))],
  ports: tcp(ports.admin),
});

const fromIngress = (target: Target): Rule => ({
  from: [inNamespace(target.given('network.ingressNamespace', 'ingress'))],
  ports: tcp(ports.http),
});

/** The gateway fetches certificates of Amazon SNS; the others serve their purpose. */
const outsidePorts: Partial<Record<ServiceName, number[]>> = {
  gateway: [443],
  sending: [25, 465, 587],
  workflows: [80, 443, 8080, 8443],
};

const outside = (service: ServiceName, target: Target): Rule[] =>
  outsidePorts[service] === undefined
    ? []
    : [
        {
          to: [
            {
              ipBlock: {
                cidr: '0.0.0.0/0',
                except: target.given('network.privateRanges.ipv4', privateRanges.ipv4),
              },
            },
            {
              ipBlock: {
                cidr: '::/0',
                except: target.given('network.privateRanges.ipv6', privateRanges.ipv6),
              },
            },
          ],
          ports: tcp(...outsidePorts[service]),
        },
      ];
