// `bin/check observability`: the board, the alerts and the runbooks, against the metrics that are declared.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  alertsOf,
  commandFindings,
  expressionsOf,
  recordingsOf,
  runbookFindings,
  unknownIn,
} from './observability/findings.js';
import { knownMetrics, metricsOfCluster } from './observability/known-metrics.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const recordings = recordingsOf(read('deploy/observability/scaling.yaml'));
const known = new Map([
  ...(await knownMetrics()),
  ...metricsOfCluster,
  ...recordings.map(({ record }) => [record, new Set<string>()] as const),
]);
const alerts = ['alerts', 'kubernetes'].flatMap((name) =>
  alertsOf(read(`deploy/observability/${name}.yaml`)),
);
const lookups = expressionsOf(read('deploy/observability/board.json'));
const runbooks = new Map(
  readdirSync(join(root, 'docs/runbooks')).map((name) => [name, read(`docs/runbooks/${name}`)]),
);
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

const findings = [
  ...alerts.flatMap(({ alert, expr }) =>
    unknownIn(expr, known).map((finding) => `alert ${alert}: ${finding}`),
  ),
  ...recordings.flatMap(({ record, expr }) =>
    unknownIn(expr, known).map((finding) => `record ${record}: ${finding}`),
  ),
  ...lookups.flatMap(({ where, expr }) =>
    unknownIn(expr, known).map((finding) => `board, ${where}: ${finding}`),
  ),
  ...runbookFindings(alerts, runbooks),
  ...commandFindings(runbooks, Object.keys(scripts)),
];
for (const finding of findings) console.log(finding);
console.log(
  `${alerts.length} alerts with runbooks, ${lookups.length} questions of the board, ${known.size} series that they may name`,
);
process.exitCode = findings.length === 0 ? 0 : 1;
