import { Registry, collectDefaultMetrics } from 'prom-client';

/** One registry for each service, so that several in one process tell theirs apart. */
export function serviceMetrics(service: string, withProcess: boolean): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  if (withProcess) collectDefaultMetrics({ register: registry });
  return registry;
}
