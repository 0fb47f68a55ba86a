import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { MetricDeclaration } from './metric.js';

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
