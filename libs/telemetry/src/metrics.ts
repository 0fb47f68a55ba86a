import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

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

/** A scrape must not wait long for one value, because it is needed most when something hangs. */
const callMs = 1_500;

type Labels<Label extends string> = Record<Label, string>;
export type Reading<Label extends string> = () => Promise<Value<Label>> | Value<Label>;
type Value<Label extends string> = number | readonly (readonly [Labels<Label>, number])[];

/** Each service has its own registry, so that several can share a process. */
export class Metrics {
  readonly registry = new Registry();

  constructor(service: string, { withProcess = false }: { withProcess?: boolean } = {}) {
    this.registry.setDefaultLabels({ service });
    if (withProcess) collectDefaultMetrics({ register: this.registry });
  }

  counter<Label extends string>({ name, help, labels }: MetricDeclaration<Label>): Counter<Label> {
    const known = this.registry.getSingleMetric(name) as Counter<Label> | undefined;
    if (known) return known;
    return new Counter({ name, help, labelNames: [...labels], registers: [this.registry] });
  }

  histogram<Label extends string>({
    name,
    help,
    labels,
    buckets = [],
  }: MetricDeclaration<Label>): Histogram<Label> {
    return new Histogram({
      name,
      help,
      labelNames: [...labels],
      buckets: [...buckets],
      registers: [this.registry],
    });
  }

  /** Shows NaN or nothing if `read` fails, because an old value would be wrong. */
  gauge<Label extends string>({ name, help, labels }: MetricDeclaration<Label>, read: Reading<Label>): void {
    const made: Gauge<Label> = new Gauge({
      name,
      help,
      labelNames: [...labels],
      registers: [this.registry],
      collect: async () => {
        const value = await answered(read);
        if (typeof value === 'number') return made.set(value);
        made.reset();
        for (const [label, number] of value ?? []) made.set(label, number);
        if (value === null && labels.length === 0) made.set(NaN);
      },
    });
  }
}

async function answered<Label extends string>(read: Reading<Label>): Promise<Value<Label> | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, callMs, null)));
  try {
    return await Promise.race([Promise.resolve(read()), late]);
  } catch {
    // During a database outage the other metrics must still be reported.
    return null;
  } finally {
    clearTimeout(timer);
  }
}
