import { readdirSync, readFileSync } from 'node:fs';
import { declaredMetrics } from '@posthorn/telemetry';
import { code, list } from './markdown.js';

const roots = ['../../../libs/', '../../../apps/'].map((path) => new URL(path, import.meta.url));

export async function metricsPage(): Promise<string> {
  const files = roots.flatMap(metricsFiles);
  for (const { file } of files) await import(file.href);
  const lines = [...declaredMetrics().values()].map(
    ({ name, kind, labels, help }): [string, string, string] => {
      const owner = files.find(({ text }) => text.includes(name))!.owner;
      const facts = [kind, owner, ...(labels.length > 0 ? [`by ${labels.map(code).join(', ')}`] : [])];
      return [name, facts.join(', '), help];
    },
  );
  return `# Metrics

Each service answers \`GET /metrics\` on its admin port (\`ADMIN_PORT\`) in the text format of Prometheus; every series carries
the label \`service\`. One service of each process also exports the default metrics of a Node.js process (\`process_*\`, \`nodejs_*\`,
including \`nodejs_eventloop_lag_p99_seconds\`). A value that cannot be read, for example because a database is unavailable, is NaN
or absent, never a stale value.

${list(lines)}
The dashboard and the alerts in [deploy/observability](../deploy/observability) use these metrics; each alert has a
[runbook](runbooks).
`;
}

/** What a lib declares, every service has. */
function metricsFiles(root: URL): { owner: string; file: URL; text: string }[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(({ name }) => /\.metrics\.(js|ts)$/.test(name))
    .map(({ name, parentPath }) => {
      const path = `${parentPath}/${name}`;
      const owner = root.href.endsWith('/libs/')
        ? 'every service'
        : path.slice(root.pathname.length).split('/')[0]!;
      return { owner, file: new URL(`file://${path}`), text: readFileSync(path, 'utf8') };
    })
    .sort((one, other) => (one.file.href < other.file.href ? -1 : 1));
}
