import { nameOf, type KubernetesObject } from './rendered.js';

interface PostgresCluster {
  instances?: number;
  postgresql?: { synchronous?: { number?: number; dataDurability?: string } };
}

/** What was answered with 202 must survive the loss of a server; and with one standby away, commits must go on. */
export function postgresFindings(objects: readonly KubernetesObject[]): string[] {
  return objects
    .filter(({ kind }) => kind === 'Cluster')
    .flatMap((object) => {
      const { instances = 1, postgresql } = object['spec'] as PostgresCluster;
      const { number = 0, dataDurability } = postgresql?.synchronous ?? {};
      return [
        ...(number >= 1 && dataDurability === 'required' ? [] : ['a commit waits for no second instance']),
        ...(instances > number + 1 ? [] : [`${instances} instances stand still when one is away`]),
      ].map((finding) => `${nameOf(object)}: ${finding}`);
    });
}
