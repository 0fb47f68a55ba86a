// `bin/check kubernetes`: every overlay and the chart, rendered by the programs that render them in earnest.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readTree } from './deploy/tree.js';
import { ruleFindings } from './kubernetes/findings.js';
import { differences, readObjects, render, renderChart } from './kubernetes/rendered.js';
import { kubernetesTools } from './kubernetes/tools.js';
import { recordingsOf } from './observability/findings.js';
import { typeFindings } from './kubernetes/types.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const tools = await kubernetesTools(root);
const tree = await readTree(root);
const folder = 'deploy/kubernetes';
const overlays = readdirSync(join(root, folder, 'overlays')).sort();
const secrets = readObjects(readFileSync(join(root, folder, 'secrets.yaml'), 'utf8'));

const recorded = new Set(
  recordingsOf(readFileSync(join(root, 'deploy/observability/scaling.yaml'), 'utf8')).map(
    ({ record }) => record,
  ),
);
const rendered = new Map(
  await Promise.all(
    overlays.map(
      async (name) => [`overlays/${name}`, await render(tools, `${folder}/overlays/${name}`)] as const,
    ),
  ),
);
const chart = await renderChart(tools);
const charts = {
  chart,
  'chart with production.yaml': await renderChart(tools, '--values', `${folder}/chart/production.yaml`),
  'chart with other components': await renderChart(
    tools,
    ...['ingress', 'prometheusAdapter'].flatMap((name) => ['--set', `components.${name}=true`]),
  ),
};
const findings = [
  ...[...rendered, ...Object.entries(charts)].flatMap(([name, objects]) =>
    ruleFindings(objects, secrets, tree, recorded).map((finding) => `${name}: ${finding}`),
  ),
  ...differences(rendered.get('overlays/small')!, chart).map(
    (finding) => `chart and overlays/small: ${finding}`,
  ),
  ...typeFindings(root, [...rendered.values(), ...Object.values(charts), secrets].flat()),
];
for (const finding of findings) console.log(finding);
console.log(
  [...rendered, ...Object.entries(charts)]
    .map(([name, objects]) => `${name}: ${objects.length} objects`)
    .join(', '),
);
process.exitCode = findings.length === 0 ? 0 : 1;
