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
    overlays.map(async (name) => [name, await render(tools, `${folder}/overlays/${name}`)] as const),
  ),
);
const chart = await renderChart(tools);
const findings = [
  ...[...rendered].flatMap(([name, objects]) =>
    ruleFindings(objects, secrets, tree, recorded).map((finding) => `overlays/${name}: ${finding}`),
  ),
  ...differences(rendered.get('small')!, chart).map((finding) => `chart and overlays/small: ${finding}`),
  ...typeFindings(root, [...rendered.values(), chart, secrets].flat()),
];
for (const finding of findings) console.log(finding);
console.log(
  [...rendered].map(([name, objects]) => `${name}: ${objects.length} objects`).join(', ') +
    `; chart: ${chart.length} objects`,
);
process.exitCode = findings.length === 0 ? 0 : 1;
