import type { Tree } from '../deploy/tree.js';
import { matchingFindings } from './matching-rules.js';
import { longAnswerFindings, scalerFindings } from './edge-rules.js';
import { networkFindings } from './network.js';
import { podFindings } from './pod-rules.js';
import { postgresFindings } from './postgres-rules.js';
import type { KubernetesObject } from './rendered.js';
import { settingFindings } from './setting-rules.js';
import { workloadsOf } from './workload.js';

/** Everything that is wrong with the objects of one installation, each in words; types are looked at apart. */
export function ruleFindings(
  objects: readonly KubernetesObject[],
  secrets: readonly KubernetesObject[],
  tree: Tree,
  recorded: ReadonlySet<string>,
): string[] {
  const workloads = workloadsOf(objects);
  return [
    ...workloads.flatMap(podFindings),
    ...settingFindings(objects, workloads, secrets, tree),
    ...matchingFindings(objects, workloads),
    ...networkFindings(objects),
    ...longAnswerFindings(objects),
    ...scalerFindings(objects, recorded),
    ...postgresFindings(objects),
    ...namespaceFindings(objects),
  ];
}

const clusterWide = new Set(['Namespace', 'PriorityClass']);

const namespaceFindings = (objects: readonly KubernetesObject[]): string[] =>
  objects
    .filter(({ kind, metadata }) => !clusterWide.has(kind) && metadata.namespace !== 'posthorn')
    .map(
      ({ kind, metadata }) =>
        `${kind} ${metadata.name} is in the namespace ${metadata.namespace ?? 'of nobody'}`,
    );
