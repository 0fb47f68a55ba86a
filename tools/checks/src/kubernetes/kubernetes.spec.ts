import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { changed, readDeployed, root } from '../testing/deployment.js';
import { readTree, type Tree } from '../deploy/tree.js';
import { recordingsOf } from '../observability/findings.js';
import { ruleFindings } from './findings.js';
import { differences, readObjects, render, renderChart, type KubernetesObject } from './rendered.js';
import { kubernetesTools, type KubernetesTools } from './tools.js';
import { typeFindings } from './types.js';

let tools: KubernetesTools;
let tree: Tree;
let small: string;
const recorded = new Set(
  recordingsOf(readDeployed('deploy/observability/scaling.yaml')).map(({ record }) => record),
);
const secrets = readObjects(readDeployed('deploy/kubernetes/secrets.yaml'));
beforeAll(async () => {
  tools = await kubernetesTools(root);
  tree = await readTree(root);
  small = await tools.kubectl('kustomize', 'deploy/kubernetes/overlays/small');
});

interface Changed {
  objects: KubernetesObject[];
  /** The one that differs: the compiler needs to see no other. */
  object: KubernetesObject;
}

const findingsOf = ({ objects, object }: Changed): string => {
  const findings = [...ruleFindings(objects, secrets, tree, recorded), ...typeFindings(root, [object])];
  return findings.join('\n');
};

/** The objects with one change in the text of the first that is of this kind and has a name like this one. */
function withChange(
  text: string,
  [kind, name, from, to]: readonly [string, string, string | RegExp, string],
): Changed {
  const documents = text.split('\n---\n');
  const index = documents.findIndex(
    (each) => each.includes(`\nkind: ${kind}\n`) && each.includes(`\n  name: ${name}`),
  );
  const exact = typeof from === 'string' ? from : from.exec(documents[index]!)![0];
  documents[index] = changed(documents[index]!, exact, to);
  return { objects: readObjects(documents.join('\n---\n')), object: readObjects(documents[index])[0]! };
}

describe('The manifests', () => {
  it('are sound as they stand', () => {
    const objects = readObjects(small);
    expect([...ruleFindings(objects, secrets, tree, recorded), ...typeFindings(root, objects)]).toEqual([]);
  });

  it.each([
    [
      'a member that does not exist',
      ['Deployment', 'gateway', 'readinessProbe:', 'readinesProbe:'],
      /Deployment gateway: .*readinesProbe/,
    ],
    [
      'liveness that depends on servers',
      [
        'Deployment',
        'contacts',
        'livenessProbe:\n          failureThreshold: 3\n          httpGet:\n            path: /livez',
        'livenessProbe:\n          failureThreshold: 3\n          httpGet:\n            path: /readyz',
      ],
      /Deployment contacts: livenessProbe asks \/readyz/,
    ],
    [
      'less grace than an answer of a mail server may take',
      ['Deployment', 'sending', 'terminationGracePeriodSeconds: 630', 'terminationGracePeriodSeconds: 60'],
      /sending: is killed after 60 s, while stopping may take 600 s/,
    ],
    [
      'a root that can be written to',
      ['Deployment', 'analytics', 'readOnlyRootFilesystem: true', 'readOnlyRootFilesystem: false'],
      /analytics: its root can be written to/,
    ],
    [
      'an image that moves',
      ['Deployment', 'workflows', /image: posthorn:[\w.]+/, 'image: posthorn:latest'],
      /workflows: image posthorn:latest needs a tag that stays/,
    ],
    [
      'a setting that its service does not know',
      ['Deployment', 'gateway', '- name: PUBLIC_URL', '- name: PUBLIC_URI'],
      /gateway: PUBLIC_URI is no variable of it/,
    ],
    [
      'a setting that nobody reads',
      ['ConfigMap', 'posthorn-', '  SENDING_RATE_PER_SECOND:', '  SENDING_RATE_A_SECOND:'],
      /ConfigMap posthorn-\w+: no service reads SENDING_RATE_A_SECOND/,
    ],
    [
      'a value that is refused',
      ['ConfigMap', 'posthorn-', 'SENDING_RATE_PER_SECOND: "14"', 'SENDING_RATE_PER_SECOND: many'],
      /sending: SENDING_RATE_PER_SECOND=many must be a number/,
    ],
    [
      'a secret that is not in its Secret',
      ['Deployment', 'campaigns', '/run/secrets/posthorn/NATS_URL', '/run/secrets/posthorn/BUS_URL'],
      /campaigns: NATS_URL_FILE: Secret posthorn-campaigns has no key BUS_URL/,
    ],
    [
      'a secret in the environment',
      ['Deployment', 'sending', '- name: SMTP_URL_FILE', '- name: SMTP_URL'],
      /sending: SMTP_URL is a secret and belongs in a file/,
    ],
    [
      'a budget that is for nobody',
      [
        'PodDisruptionBudget',
        'sending',
        'component: sending\n      app.kubernetes.io/name',
        'component: sender\n      app.kubernetes.io/name',
      ],
      /PodDisruptionBudget sending: selects no pod/,
    ],
    [
      'a Service that leads nowhere',
      ['Service', 'gateway', 'targetPort: http', 'targetPort: web'],
      /Service gateway: its pods have no port web/,
    ],
    [
      'an autoscaler of nothing',
      [
        'HorizontalPodAutoscaler',
        'contacts',
        'kind: Deployment\n    name: contacts',
        'kind: Deployment\n    name: contact',
      ],
      /HorizontalPodAutoscaler contacts: there is no contact/,
    ],
    [
      'pods that may share a zone',
      ['Deployment', 'gateway', 'topologyKey: topology.kubernetes.io/zone', 'topologyKey: kubernetes.io/os'],
      /gateway: is not spread over topology.kubernetes.io\/zone/,
    ],
    [
      'no request for memory',
      [
        'Deployment',
        'gateway',
        'requests:\n            cpu: 250m\n            memory: 256Mi',
        'requests:\n            cpu: 250m',
      ],
      /gateway: requests no CPU or no memory/,
    ],
    [
      'a network that is open to all of the namespace',
      ['NetworkPolicy', 'default-deny', '  - Ingress\n  - Egress', '  - Ingress'],
      /nothing refuses any pod of the namespace → the metadata of the machine:80/,
    ],
    [
      'webhooks to the metadata of the machine',
      ['NetworkPolicy', 'workflows', '        - 169.254.0.0/16\n', ''],
      /nothing refuses workflows → the metadata of the machine:80/,
    ],
    [
      'a service that cannot reach NATS',
      ['NetworkPolicy', 'analytics', '- port: 4222', '- port: 4223'],
      /nothing allows analytics → nats:4222/,
    ],
  ] as const)('with %s are refused', (_, change, finding) => {
    expect(findingsOf(withChange(small, change))).toMatch(finding);
  });

  it.each([
    [
      'an answer that ends before the live stream',
      'production',
      ['HTTPRoute', 'gateway', '      request: 0s', '      request: 60s'],
      /HTTPRoute gateway: answers end after 60s \(request\)/,
    ],
    [
      'the same by an Ingress',
      'test',
      ['Ingress', 'gateway', 'haproxy.org/timeout-server: 1h', 'haproxy.org/timeout-server: 50s'],
      /Ingress gateway: haproxy.org\/timeout-server is 50s/,
    ],
    [
      'a figure that nobody records',
      'production',
      [
        'ScaledObject',
        'sending',
        'query: posthorn:sending_processes_wanted',
        'query: posthorn:sending_processes',
      ],
      /ScaledObject sending: no rule records posthorn:sending_processes$/m,
    ],
    [
      'a figure that nobody records, for the adapter',
      'test',
      [
        'HorizontalPodAutoscaler',
        'sending',
        'name: posthorn_sending_wait_seconds',
        'name: posthorn_sending_wait',
      ],
      /HorizontalPodAutoscaler sending: no rule records posthorn_sending_wait$/m,
    ],
    [
      'a commit that waits for nobody',
      'production',
      ['Cluster', 'posthorn-postgres', 'dataDurability: required', 'dataDurability: preferred'],
      /Cluster posthorn-postgres: a commit waits for no second instance/,
    ],
  ] as const)('with %s are refused', async (_, overlay, change, finding) => {
    const text = await tools.kubectl('kustomize', `deploy/kubernetes/overlays/${overlay}`);
    expect(findingsOf(withChange(text, change))).toMatch(finding);
  });

  it('find in the Secrets that new-secrets.sh makes all that they read, each URL with the password of its account', () => {
    const [database, smtp] = [
      'postgres://admin:x@db.example:5432/postgres?sslmode=require',
      'smtp://u:p@mx.example:25',
    ];
    const made = readObjects(
      execFileSync(join(root, 'deploy/kubernetes/new-secrets.sh'), [database, smtp], { encoding: 'utf8' }),
    );
    expect(ruleFindings(readObjects(small), made, tree, recorded)).toEqual([]);
    const data = (name: string) =>
      made.find(({ metadata }) => metadata.name === `posthorn-${name}`)!['stringData'] as Record<
        string,
        string
      >;
    const url = new URL(data('sending')['SENDING_DATABASE_URL']!);
    expect([url.host, url.pathname, url.search]).toEqual([
      'db.example:5432',
      '/posthorn_sending',
      '?sslmode=require',
    ]);
    expect(url.password).toBe(data('nats')['SENDING_PASSWORD']);
    expect(data('provision')).toMatchObject({ DATABASE_URL: database, SENDING_DATABASE_URL: url.href });
    expect(data('sending')).toMatchObject({
      SMTP_URL: smtp,
      POSTHORN_SECRET_KEY: data('gateway')['POSTHORN_SECRET_KEY'],
    });
    expect(JSON.stringify(made)).not.toMatch(/@[A-Z_]+@/);
  });

  it('are the same from the chart', async () => {
    expect(differences(readObjects(small), await renderChart(tools))).toEqual([]);
    const other = await renderChart(tools, '--set', 'services.sending.replicas=3');
    expect(differences(readObjects(small), other)).toEqual([
      expect.stringMatching(/^Deployment sending: .*"replicas":3/),
    ]);
  });

  it('grow with KEDA instead of a fixed count in production', async () => {
    const objects = await render(tools, 'deploy/kubernetes/overlays/production');
    expect(ruleFindings(objects, secrets, tree, recorded)).toEqual([]);
    const sending = objects.find(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'sending',
    );
    expect(sending!['spec']).not.toHaveProperty('replicas');
  });
});
