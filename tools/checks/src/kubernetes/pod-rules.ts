import type { Probe, Workload } from './workload.js';

/** What must hold for every pod of ours, each finding in words. */
export function podFindings(workload: Workload): string[] {
  return [
    ...confinementFindings(workload),
    ...resourceFindings(workload),
    ...(workload.kind === 'Deployment' ? [...probeFindings(workload), ...rolloutFindings(workload)] : []),
  ].map((finding) => `${workload.kind} ${workload.name}: ${finding}`);
}

function confinementFindings({ pod, container }: Workload): string[] {
  const { securityContext: own, image } = container;
  const { securityContext: shared } = pod;
  const expectations: [boolean, string][] = [
    [shared?.runAsNonRoot === true && shared.runAsUser === 1_000, 'does not run as user 1000'],
    [shared?.seccompProfile?.type === 'RuntimeDefault', 'has no seccomp profile RuntimeDefault'],
    [own?.readOnlyRootFilesystem === true, 'its root can be written to'],
    [own?.allowPrivilegeEscalation === false, 'may gain privileges'],
    [own?.capabilities?.drop?.includes('ALL') === true && !own.capabilities.add, 'keeps capabilities'],
    [pod.automountServiceAccountToken === false, 'gets a token of the cluster'],
    [(pod.serviceAccountName ?? 'default') !== 'default', 'has no service account of its own'],
    [pod.containers.length === 1, 'has more than one container'],
    [
      /(@sha256:[0-9a-f]{64}|:(?!latest$)[\w.-]+)$/.test(image),
      `image ${image} needs a tag that stays, or a digest`,
    ],
  ];
  return expectations.flatMap(([holds, finding]) => (holds ? [] : [finding]));
}

function resourceFindings({ container }: Workload): string[] {
  const { requests, limits } = container.resources ?? {};
  return [
    ...(requests?.['cpu'] && requests['memory'] ? [] : ['requests no CPU or no memory']),
    ...(limits?.['memory'] ? [] : ['has no limit of memory']),
    ...(limits?.['cpu'] ? ['has a limit of CPU, which slows it while the node is idle'] : []),
  ];
}

/** Liveness must not depend on a server: all would be restarted because one is away. */
const wantedProbes = {
  startupProbe: { path: '/livez', within: (probe: Probe) => patienceOf(probe) >= 120 },
  livenessProbe: { path: '/livez', within: (probe: Probe) => patienceOf(probe) >= 20 },
  readinessProbe: { path: '/readyz', within: (probe: Probe) => (probe.periodSeconds ?? 10) <= 5 },
} as const;

const patienceOf = ({ periodSeconds = 10, failureThreshold = 3 }: Probe): number =>
  periodSeconds * failureThreshold;

function probeFindings({ container }: Workload): string[] {
  return Object.entries(wantedProbes).flatMap(([name, { path, within }]) => {
    const probe = container[name as keyof typeof wantedProbes];
    if (!probe?.httpGet) return [`has no ${name}`];
    const { port } = probe.httpGet;
    return [
      ...(probe.httpGet.path === path ? [] : [`${name} asks ${probe.httpGet.path}, not ${path}`]),
      ...(container.ports?.some((each) => each.name === port)
        ? []
        : [`${name} asks port ${port}, which it has not`]),
      ...(within(probe) ? [] : [`${name} is too hasty or too slow`]),
    ];
  });
}

function rolloutFindings({ spec, pod, labels }: Workload): string[] {
  const { maxSurge, maxUnavailable } = spec.strategy?.rollingUpdate ?? {};
  const spread = pod.topologySpreadConstraints ?? [];
  const component = labels['app.kubernetes.io/component'];
  return [
    ...(maxSurge === 1 && maxUnavailable === 0 ? [] : ['is replaced otherwise than one more, none less']),
    ...['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].flatMap((key) => {
      const constraint = spread.find(({ topologyKey, maxSkew }) => topologyKey === key && maxSkew === 1);
      const selected = constraint?.labelSelector?.matchLabels?.['app.kubernetes.io/component'];
      return selected === component ? [] : [`is not spread over ${key}`];
    }),
  ];
}
