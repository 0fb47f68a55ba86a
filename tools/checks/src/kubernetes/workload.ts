import type { KubernetesObject } from './rendered.js';

export interface EnvironmentEntry {
  name: string;
  value?: string;
  valueFrom?: {
    configMapKeyRef?: { name: string; key: string; optional?: boolean };
    secretKeyRef?: { name: string; key: string };
  };
}

export interface Probe {
  httpGet?: { path?: string; port?: string | number };
  periodSeconds?: number;
  failureThreshold?: number;
  timeoutSeconds?: number;
}

export interface Container {
  name: string;
  image: string;
  command?: string[];
  args?: string[];
  env?: EnvironmentEntry[];
  envFrom?: object[];
  ports?: { name: string; containerPort: number }[];
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  securityContext?: {
    allowPrivilegeEscalation?: boolean;
    readOnlyRootFilesystem?: boolean;
    capabilities?: { drop?: string[]; add?: string[] };
  };
  volumeMounts?: { name: string; mountPath: string }[];
}

export interface LabelSelector {
  matchLabels?: Record<string, string>;
}

export interface PodSpec {
  serviceAccountName?: string;
  automountServiceAccountToken?: boolean;
  securityContext?: {
    runAsNonRoot?: boolean;
    runAsUser?: number;
    seccompProfile?: { type?: string };
  };
  containers: Container[];
  volumes?: { name: string; secret?: { secretName: string } }[];
  terminationGracePeriodSeconds?: number;
  topologySpreadConstraints?: { topologyKey: string; maxSkew: number; labelSelector?: LabelSelector }[];
  priorityClassName?: string;
  restartPolicy?: string;
}

/** Pods, and what makes them. */
export interface Workload {
  name: string;
  kind: 'Deployment' | 'Job';
  labels: Record<string, string>;
  pod: PodSpec;
  container: Container;
  spec: {
    replicas?: number;
    selector?: LabelSelector;
    strategy?: { rollingUpdate?: { maxSurge?: number; maxUnavailable?: number } };
  };
}

interface WorkloadSpec {
  template: { metadata: { labels?: Record<string, string> }; spec: PodSpec };
}

export function workloadsOf(objects: readonly KubernetesObject[]): Workload[] {
  return objects.flatMap((object) => {
    const { kind, metadata } = object;
    if (kind !== 'Deployment' && kind !== 'Job') return [];
    const spec = object['spec'] as WorkloadSpec & Workload['spec'];
    const { template } = spec;
    return [
      {
        name: metadata.name,
        kind,
        labels: template.metadata.labels ?? {},
        pod: template.spec,
        container: template.spec.containers[0]!,
        spec,
      },
    ];
  });
}

export const componentOf = ({ labels }: Pick<Workload, 'labels'>): string =>
  labels['app.kubernetes.io/component'] ?? '';

export const isSelected = (selector: LabelSelector | undefined, labels: Record<string, string>): boolean =>
  Object.entries(selector?.matchLabels ?? {}).every(([name, value]) => labels[name] === value);
