/** Source of docs/metrics.md; the dashboard and alerts are checked against it. */
export interface MetricDeclaration<Label extends string = string> {
  kind: 'counter' | 'gauge' | 'histogram';
  /** By Prometheus conventions: base units, and `_total` for counters. */
  name: string;
  help: string;
  /** Closed sets only, never an id, an address or a value chosen by clients. */
  labels: readonly Label[];
  buckets?: readonly number[];
}

/** In seconds, from a statement to a slow mail server. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 60] as const;

const declared = new Map<string, MetricDeclaration>();

export const declaredMetrics = (): ReadonlyMap<string, MetricDeclaration> => declared;

export const counter = <Label extends string = never>(
  name: string,
  help: string,
  labels: readonly Label[] = [],
) => declare<Label>({ kind: 'counter', name, help, labels });

export const gauge = <Label extends string = never>(
  name: string,
  help: string,
  labels: readonly Label[] = [],
) => declare<Label>({ kind: 'gauge', name, help, labels });

export const histogram = <Label extends string = never>(
  name: string,
  help: string,
  labels: readonly Label[] = [],
) => declare<Label>({ kind: 'histogram', name, help, labels, buckets: durationBuckets });

function declare<Label extends string>(metric: MetricDeclaration<Label>): MetricDeclaration<Label> {
  if (declared.has(metric.name)) throw new Error(`metric ${metric.name} is declared twice`);
  declared.set(metric.name, metric);
  return metric;
}
