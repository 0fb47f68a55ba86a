import { readdirSync } from 'node:fs';
import { declaredMetrics } from '@posthorn/telemetry';
import { code, table } from './markdown.js';

const roots = ['../../../libs/', '../../../apps/'].map((path) => new URL(path, import.meta.url));

export async function metricsPage(): Promise<string> {
  const owners = new Map<string, string>();
  for (const [unit, file] of roots.flatMap(metricsFiles)) {
    await import(file.href);
    for (const name of declaredMetrics().keys()) if (!owners.has(name)) owners.set(name, unit);
  }
  const rows = [...declaredMetrics().values()].map(({ name, kind, labels, help }) => [
    code(name),
    kind,
    labels.map(code).join(', ') || '—',
    owners.get(name) === 'messaging' || owners.get(name) === 'database'
      ? 'every service'
      : (owners.get(name) ?? ''),
    help,
  ]);
  return `# Metrics

Each service answers \`GET /metrics\` on its admin port (\`ADMIN_PORT\`) in the text format of Prometheus; every series carries
the label \`service\`. One service of each process also exports the default metrics of a Node.js process (\`process_*\`, \`nodejs_*\`,
including \`nodejs_eventloop_lag_p99_seconds\`). A value that cannot be read, for example because a database is unavailable, is NaN
or absent, never a stale value.

${table(['metric', 'kind', 'labels', 'of', 'meaning'], rows)}
The dashboard and the alerts in [deploy/observability](../deploy/observability) use these metrics; each alert has a
[runbook](runbooks).
`;
}

function metricsFiles(root: URL): [unit: string, file: URL][] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(({ name }) => /\.metrics\.(js|ts)$/.test(name))
    .map(({ name, parentPath }): [string, URL] => {
      const path = `${parentPath}/${name}`;
      return [path.slice(root.pathname.length).split('/')[0]!, new URL(`file://${path}`)];
    })
    .sort(([, one], [, other]) => (one.href < other.href ? -1 : 1));
}
