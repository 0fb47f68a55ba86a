import { beforeAll, describe, expect, it } from '@jest/globals';
import { changed, readDeployed, root } from '../testing/deployment.js';
import { readTree, type Tree } from '../deploy/tree.js';
import { ruleFindings } from './findings.js';
import { differences, readObjects, render, renderChart, type KubernetesObject } from './rendered.js';
import { kubernetesTools, type KubernetesTools } from './tools.js';
import { typeFindings } from './types.js';

let tools: KubernetesTools;
let tree: Tree;
let small: string;
const secrets = readObjects(readDeployed('deploy/kubernetes/secrets.yaml'));
beforeAll(async () => {
  tools = await kubernetesTools(root);
  tree = await readTree(root);
  small = await tools.kubectl('kustomize', 'deploy/kubernetes/overlays/small');
});

const findingsOf = (objects: readonly KubernetesObject[]): string[] => [
  ...ruleFindings(objects, secrets, tree),
  ...typeFindings(root, objects),
];

/** One object of an overlay, with one change in its text. */
const withChange = (kind: string, name: string, from: string, to: string): KubernetesObject[] => {
  const documents = small.split('\n---\n');
  const index = documents.findIndex(
    (text) => text.includes(`\nkind: ${kind}\n`) && text.includes(`\n  name: ${name}\n`),
  );
  documents[index] = changed(documents[index]!, from, to);
  return readObjects(documents.join('\n---\n'));
};

describe('The manifests', () => {
  it('are sound as they stand', () => {
    expect(findingsOf(readObjects(small))).toEqual([]);
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
  ] as const)('with %s are refused', (_, [kind, name, from, to], finding) => {
    const document = small
      .split('\n---\n')
      .find((text) => text.includes(`\nkind: ${kind}\n`) && text.includes(`\n  name: ${name}`))!;
    const exact = typeof from === 'string' ? from : from.exec(document)![0];
    const full = /\n {2}name: (\S+)/.exec(document)![1]!;
    expect(findingsOf(withChange(kind, full, exact, to)).join('\n')).toMatch(finding);
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
    expect(ruleFindings(objects, secrets, tree)).toEqual([]);
    const sending = objects.find(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'sending',
    );
    expect(sending!['spec']).not.toHaveProperty('replicas');
  });
});
