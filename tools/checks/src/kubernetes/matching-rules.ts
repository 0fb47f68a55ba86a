import { nameOf, type KubernetesObject } from './rendered.js';
import { isSelected, type LabelSelector, type Workload } from './workload.js';

interface Scaling {
  scaleTargetRef?: { name: string };
  minReplicas?: number;
  minReplicaCount?: number;
}

/** Selectors select something, names name something, and every Deployment has what keeps it available. */
export function matchingFindings(
  objects: readonly KubernetesObject[],
  workloads: readonly Workload[],
): string[] {
  const deployments = workloads.filter(({ kind }) => kind === 'Deployment');
  return [
    ...objects.flatMap((object) => selectionFindings(object, objects, workloads)),
    ...deployments.flatMap((workload) =>
      availabilityFindings(workload, objects).map((finding) => `Deployment ${workload.name}: ${finding}`),
    ),
    ...twins(objects),
  ];
}

function selectionFindings(
  object: KubernetesObject,
  objects: readonly KubernetesObject[],
  workloads: readonly Workload[],
): string[] {
  const spec = (object['spec'] ?? {}) as { selector?: LabelSelector & Record<string, string> } & Scaling;
  const selects = (selector: LabelSelector) => workloads.some(({ labels }) => isSelected(selector, labels));
  const report = (finding: string) => [`${nameOf(object)}: ${finding}`];
  switch (object.kind) {
    case 'Service':
      return serviceFindings(object, workloads);
    case 'PodDisruptionBudget':
    case 'PodMonitor':
      return selects(spec.selector ?? {}) ? [] : report('selects no pod');
    case 'HorizontalPodAutoscaler':
    case 'ScaledObject':
      return workloads.some(({ name }) => name === spec.scaleTargetRef?.name)
        ? []
        : report(`there is no ${spec.scaleTargetRef?.name}`);
    case 'Deployment':
    case 'Job':
      return accountFindings(object, objects, workloads).flatMap(report);
    default:
      return [];
  }
}

function serviceFindings(object: KubernetesObject, workloads: readonly Workload[]): string[] {
  const { selector, ports } = object['spec'] as {
    selector: Record<string, string>;
    ports: { targetPort?: string | number }[];
  };
  const selected = workloads.filter(({ labels }) => isSelected({ matchLabels: selector }, labels));
  if (selected.length === 0) return [`${nameOf(object)}: selects no pod`];
  return ports
    .filter(({ targetPort }) => !selected[0]!.container.ports?.some(({ name }) => name === targetPort))
    .map(({ targetPort }) => `${nameOf(object)}: its pods have no port ${targetPort}`);
}

function accountFindings(
  object: KubernetesObject,
  objects: readonly KubernetesObject[],
  workloads: readonly Workload[],
): string[] {
  const workload = workloads.find(({ name, kind }) => name === object.metadata.name && kind === object.kind)!;
  const exists = (kind: string, name: string) =>
    objects.some((other) => other.kind === kind && other.metadata.name === name);
  const { serviceAccountName = '', priorityClassName } = workload.pod;
  return [
    ...(exists('ServiceAccount', serviceAccountName)
      ? []
      : [`there is no ServiceAccount ${serviceAccountName}`]),
    ...(priorityClassName && !exists('PriorityClass', priorityClassName)
      ? [`there is no PriorityClass ${priorityClassName}`]
      : []),
    ...(object.kind === 'Deployment' && !isSelected(workload.spec.selector, workload.labels)
      ? ['does not select its own pods']
      : []),
  ];
}

function availabilityFindings(workload: Workload, objects: readonly KubernetesObject[]): string[] {
  const specOf = (object: KubernetesObject) => object['spec'] as { selector?: LabelSelector } & Scaling;
  const budget = objects.some(
    (object) => object.kind === 'PodDisruptionBudget' && isSelected(specOf(object).selector, workload.labels),
  );
  const scalers = objects.filter(
    (object) =>
      ['HorizontalPodAutoscaler', 'ScaledObject'].includes(object.kind) &&
      specOf(object).scaleTargetRef?.name === workload.name,
  );
  const least = scalers.map((object) => specOf(object).minReplicas ?? specOf(object).minReplicaCount ?? 1);
  const { replicas } = workload.spec;
  return [
    ...(budget ? [] : ['has no PodDisruptionBudget']),
    ...(scalers.length > 1 ? ['has two autoscalers'] : []),
    ...(scalers.length === 1 && replicas !== undefined ? ['has a count beside its autoscaler'] : []),
    ...((least[0] ?? replicas ?? 1) >= 2 ? [] : ['runs in fewer than two pods']),
  ];
}

function twins(objects: readonly KubernetesObject[]): string[] {
  const names = objects.map((object) => `${object.apiVersion} ${nameOf(object)}`);
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))].map(
    (name) => `${name} is there twice`,
  );
}
