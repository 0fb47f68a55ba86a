import { labelsOf, product, selectorOf, wave, type Manifest, type Target } from './manifest.js';
import { ports } from './environment.js';
import { deploymentOf, priorityClass } from './pods.js';
import { denyAll, jobPolicy, natsPolicy, operatorPolicy, servicePolicy } from './policies.js';
import type { ServicePlan } from './services.js';

/** The objects of a service, by the name of their file. */
export function serviceObjects(plan: ServicePlan, target: Target): Record<string, Manifest> {
  const { name } = plan;
  return {
    serviceaccount: accountOf(name, target),
    deployment: deploymentOf(plan, target),
    ...(name === 'gateway' ? { service: gatewayService(target) } : {}),
    ...('least' in plan.scaling ? { hpa: autoscalerOf(plan, plan.scaling, target) } : {}),
    pdb: budgetOf(plan, target),
    networkpolicy: servicePolicy(name, target),
  };
}

export function commonObjects(target: Target): Record<string, Manifest> {
  return {
    priorityclass: {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: priorityClass, annotations: wave(-3) },
      value: 100_000,
      description: 'Services that accept mail and hand it over',
    },
    'default-deny': denyAll(target),
    nats: natsPolicy(target),
    operator: operatorPolicy(target),
    provision: jobPolicy('provision', target),
    migrate: jobPolicy('migrate', target),
  };
}

/** Helm makes the namespace itself, or refuses to share it. */
export const namespaceObject: Manifest = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name: product,
    labels: {
      'app.kubernetes.io/part-of': product,
      'pod-security.kubernetes.io/enforce': 'restricted',
    },
    annotations: wave(-4),
  },
};

export const accountOf = (name: string, { namespace }: Target): Manifest => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace, labels: labelsOf(name), annotations: wave(-3) },
  automountServiceAccountToken: false,
});

const gatewayService = ({ namespace }: Target): Manifest => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'gateway', namespace, labels: labelsOf('gateway') },
  spec: {
    selector: selectorOf('gateway').matchLabels,
    ports: [{ name: 'http', port: ports.http, targetPort: 'http', appProtocol: 'http' }],
  },
});

function autoscalerOf(
  { name }: ServicePlan,
  { least, most }: { least: number; most: number },
  target: Target,
): Manifest {
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name, namespace: target.namespace, labels: labelsOf(name), annotations: wave(1) },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      minReplicas: target.given(`services.${name}.minReplicas`, least),
      maxReplicas: target.given(`services.${name}.maxReplicas`, most),
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } },
        },
      ],
      behavior: { scaleDown: { stabilizationWindowSeconds: 600, policies: [onePodIn(120)] } },
    },
  };
}

const onePodIn = (periodSeconds: number) => ({ type: 'Pods', value: 1, periodSeconds });

const budgetOf = ({ name, graceSeconds }: ServicePlan, { namespace }: Target): Manifest => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name, namespace, labels: labelsOf(name) },
  spec: {
    selector: selectorOf(name),
    // Those that take long to stop leave one by one.
    ...(graceSeconds > 600 ? { maxUnavailable: 1 } : { minAvailable: 1 }),
    unhealthyPodEvictionPolicy: 'AlwaysAllow',
  },
});
