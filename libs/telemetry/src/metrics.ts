import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { MetricDeclaration } from './metric.js';

/** A scrape does not wait longer for one number: it is needed most when something hangs. */
const callMs = 1_500;

type Labels<Label extends string> = Record<Label, string>;
/** What a gauge shows, asked for at every scrape: one number, or one for each set of labels. */
export type Reading<Label extends string> = () => Promise<Value<Label>> | Value<Label>;
type Value<Label extends string> = number | readonly (readonly [Labels<Label>, number])[];

/** The metrics of one service; each has a registry of its own, so that several in one process tell theirs apart. */
export class Metrics {
  readonly registry = new Registry();

  constructor(service: string, { withProcess = false }: { withProcess?: boolean } = {}) {
    this.registry.setDefaultLabels({ service });
    if (withProcess) collectDefaultMetrics({ register: this.registry });
  }

  /** Two rooms may count the same. */
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

  /** Shows what `read` answers; NaN, or nothing, where it does not answer: a number of before would be a lie. */
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
    // Whoever is scraped while its database is away still says all the rest.
    return null;
  } finally {
    clearTimeout(timer);
  }
}
