import { stringify } from 'yaml';

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; [member: string]: unknown };
  [member: string]: unknown;
}

/** Where a value comes from that an installation changes: as it is for kustomize, or out of the values of the chart. */
export interface Target {
  given<T>(path: string, preset: T): T;
  namespace: string;
  image: string;
  /** So that a change of the settings replaces the pods; kustomize does the same by the name of the map. */
  podAnnotations: Record<string, string>;
}

export const product = 'posthorn';

export const labelsOf = (component: string): Record<string, string> => ({
  'app.kubernetes.io/name': product,
  'app.kubernetes.io/component': component,
  'app.kubernetes.io/part-of': product,
});

export const selectorOf = (component: string): { matchLabels: Record<string, string> } => ({
  matchLabels: { 'app.kubernetes.io/name': product, 'app.kubernetes.io/component': component },
});

/** The order in which Argo CD applies them; others need none, because pods wait for what they need. */
export const wave = (number: number): Record<string, string> => ({
  'argocd.argoproj.io/sync-wave': String(number),
});

export const yamlOf = (...manifests: object[]): string =>
  manifests
    .map((manifest) => stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false }))
    .join('---\n');
