import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { declaredMetrics, Metrics, type MetricDeclaration } from '@posthorn/telemetry';
import { Histogram } from 'prom-client';

/** The labels of every series that there can be, by its name: those of histograms by each of their three names. */
export type KnownMetrics = ReadonlyMap<string, ReadonlySet<string>>;

const root = fileURLToPath(new URL('../../../../', import.meta.url));
/** What Prometheus adds, and what every series of ours carries. */
const always = ['service', 'job', 'instance'];

/** What others in a cluster measure, with the labels that the rules ask for. */
export const metricsOfCluster: KnownMetrics = new Map(
  Object.entries({
    kube_job_status_failed: ['namespace', 'job_name'],
    kube_job_status_active: ['namespace', 'job_name'],
    kube_job_status_start_time: ['namespace', 'job_name'],
    kube_horizontalpodautoscaler_status_current_replicas: ['namespace', 'horizontalpodautoscaler'],
    kube_horizontalpodautoscaler_spec_max_replicas: ['namespace', 'horizontalpodautoscaler'],
    certmanager_certificate_expiration_timestamp_seconds: ['name', 'exported_namespace'],
  }).map(([name, labels]) => [name, new Set(labels)]),
);

export async function knownMetrics(): Promise<KnownMetrics> {
  const known = new Map<string, Set<string>>();
  const add = (name: string, labels: readonly string[]) => known.set(name, new Set([...always, ...labels]));
  for (const { name, kind, labels } of [...processMetrics(), ...(await ourMetrics())]) {
    add(name, labels);
    if (kind !== 'histogram') continue;
    // A histogram has no series of its own name.
    known.delete(name);
    add(`${name}_bucket`, [...labels, 'le']);
    for (const suffix of ['_sum', '_count']) add(name + suffix, labels);
  }
  // What Prometheus itself says of a target.
  add('up', []);
  return known;
}

/** Every `*.metrics` file declares when it is loaded. */
export async function ourMetrics() {
  for (const area of ['libs', 'apps']) {
    const files = readdirSync(join(root, area), { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((name) => /\.metrics\.(js|ts)$/.test(name)))
      await import(join(root, area, file));
  }
  return [...declaredMetrics().values()];
}

interface ProcessMetric {
  name: string;
  labelNames: string[];
}

/** What prom-client measures of a process; its types do not show the names of the labels. */
function processMetrics(): Pick<MetricDeclaration, 'name' | 'kind' | 'labels'>[] {
  const made = new Metrics('any', {
    withProcess: true,
  }).registry.getMetricsAsArray() as unknown as ProcessMetric[];
  return made.map((metric) => ({
    name: metric.name,
    kind: metric instanceof Histogram ? 'histogram' : 'gauge',
    labels: metric.labelNames,
  }));
}
