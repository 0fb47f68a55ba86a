import { labelsOf, selectorOf, wave, type Manifest, type Target } from './manifest.js';
import { environmentOf, ports, secretFolder, type EnvironmentEntry } from './environment.js';
import type { ServicePlan } from './services.js';

export const priorityClass = 'posthorn-mail';
const user = 1_000;

/** The certificate of the receiver of reports, once there is one. */
const mailCertificate = { name: 'mail-tls', mountPath: '/run/secrets/mail-tls', readOnly: true };

/** Authorities that a server is trusted by, where there are such Secrets: never their keys. */
const authorities = ['postgres', 'nats'].map((server) => ({
  volume: {
    name: `${server}-ca`,
    secret: {
      secretName: `posthorn-${server}-ca`,
      optional: true,
      items: [{ key: 'ca.crt', path: 'ca.crt' }],
    },
  },
  mount: { name: `${server}-ca`, mountPath: `/run/secrets/${server}-ca`, readOnly: true },
}));

/** What every pod of ours may not do, and where its secrets are. */
export function podOf(account: string, secret: string, container: object, volumes: object[] = []): object {
  return {
    serviceAccountName: account,
    automountServiceAccountToken: false,
    // A Service of any name would become variables, and may hit one of ours.
    enableServiceLinks: false,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: user,
      runAsGroup: user,
      fsGroup: user,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [container],
    volumes: [
      { name: 'secrets', secret: { secretName: secret, defaultMode: 0o440 } },
      { name: 'tmp', emptyDir: { sizeLimit: '64Mi' } },
      ...authorities.map(({ volume }) => volume),
      ...volumes,
    ],
  };
}

export function containerOf(
  target: Target,
  name: string,
  env: readonly EnvironmentEntry[],
  { volumeMounts = [], ...rest }: { volumeMounts?: object[]; [member: string]: unknown },
): object {
  return {
    name,
    image: target.image,
    imagePullPolicy: 'IfNotPresent',
    ...rest,
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    env,
    volumeMounts: [
      { name: 'secrets', mountPath: secretFolder, readOnly: true },
      { name: 'tmp', mountPath: '/tmp' },
      ...authorities.map(({ mount }) => mount),
      ...volumeMounts,
    ],
  };
}

export function deploymentOf(plan: ServicePlan, target: Target): Manifest {
  const { name, scaling, graceSeconds } = plan;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name,
      namespace: target.namespace,
      labels: labelsOf(name),
      annotations: wave(1),
    },
    spec: {
      // A count beside an autoscaler would be set back by each change of this file.
      ...('fixed' in scaling ? { replicas: target.given(`services.${name}.replicas`, scaling.fixed) } : {}),
      revisionHistoryLimit: 3,
      // They wait ten minutes for the migrations of their version.
      progressDeadlineSeconds: 900,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      selector: selectorOf(name),
      template: {
        metadata: {
          labels: labelsOf(name),
          annotations: {
            ...target.podAnnotations,
            // What it has in its hands may take longer than a node autoscaler waits.
            ...(graceSeconds > 600 ? { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' } : {}),
          },
        },
        spec: {
          ...podOf(name, `posthorn-${name}`, serviceContainer(plan, target), volumesOf(plan)),
          ...(plan.carriesMail ? { priorityClassName: priorityClass } : {}),
          terminationGracePeriodSeconds: graceSeconds,
          topologySpreadConstraints: ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].map(
            (topologyKey) => ({
              maxSkew: 1,
              topologyKey,
              whenUnsatisfiable: 'ScheduleAnyway',
              labelSelector: selectorOf(name),
              matchLabelKeys: ['pod-template-hash'],
            }),
          ),
        },
      },
    },
  };
}

const knows = ({ variables }: ServicePlan, variable: string): boolean =>
  variables.some(({ name }) => name === variable);

const volumesOf = (plan: ServicePlan): object[] =>
  knows(plan, 'MAIL_TLS_CERT')
    ? [
        {
          name: mailCertificate.name,
          secret: { secretName: 'posthorn-mail-tls', optional: true, defaultMode: 0o440 },
        },
      ]
    : [];

function serviceContainer(plan: ServicePlan, target: Target): object {
  const { name, memoryLimit, readySeconds } = plan;
  return containerOf(target, name, environmentOf(plan), {
    args: [name],
    volumeMounts: knows(plan, 'MAIL_TLS_CERT') ? [mailCertificate] : [],
    ports: [
      ...(knows(plan, 'PORT') ? [{ name: 'http', containerPort: ports.http }] : []),
      ...(knows(plan, 'INBOUND_PORT') ? [{ name: 'smtp', containerPort: ports.mail }] : []),
      { name: 'admin', containerPort: ports.admin },
    ],
    startupProbe: probe('/livez', { periodSeconds: 2, failureThreshold: 60 }),
    livenessProbe: probe('/livez', { periodSeconds: 10, failureThreshold: 3 }),
    readinessProbe: probe('/readyz', { periodSeconds: readySeconds, failureThreshold: 2 }),
    resources: target.given(`services.${name}.resources`, {
      requests: { cpu: '250m', memory: '256Mi' },
      limits: { memory: memoryLimit },
    }),
  });
}

const probe = (path: string, times: object): object => ({
  httpGet: { path, port: 'admin' },
  timeoutSeconds: 3,
  ...times,
});
