import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNats, startPostgres } from '@posthorn/dev';
import { wantsHelp } from '@posthorn/platform';
import pg from 'pg';
import { benchAccepts } from './accepts.js';
import { benchIngest } from './analytics/ingest.js';
import { benchReports } from './analytics/reports.js';
import { benchAudience } from './audience/audience.js';
import { benchPreviews } from './audience/previews.js';
import { scales, type Bench } from './bench.js';
import { benchCampaigns } from './campaigns/campaigns.js';
import { benchEdge } from './edge.js';
import { benchFairness } from './fairness.js';
import { benchMemory, benchStart } from './footprint.js';
import { benchHandOff } from './hand-off.js';
import { writeAudiencePlans } from './plans/audience-plans.js';
import { writeCampaignPlans } from './plans/campaign-plans.js';
import { writeWorkflowPlans } from './plans/workflow-plans.js';
import { SinkProcess } from './processes.js';
import { profileAccepts } from './profile.js';
import { report } from './report.js';
import { benchCosts } from './sending/costs.js';
import { benchDrains } from './sending/drains.js';
import { benchSends } from './sending/sends.js';
import { benchStreams } from './streams.js';
import { benchRest } from './work/rest.js';
import { benchWork } from './work/work.js';
import { benchArrivals } from './workflows/arrivals.js';
import { benchWorkflows } from './workflows/workflows.js';

const parts = {
  accepts: benchAccepts,
  'hand-off': benchHandOff,
  fairness: benchFairness,
  memory: benchMemory,
  start: benchStart,
  edge: benchEdge,
  drains: benchDrains,
  sends: benchSends,
  costs: benchCosts,
  audience: benchAudience,
  previews: benchPreviews,
  campaigns: benchCampaigns,
  workflows: benchWorkflows,
  arrivals: benchArrivals,
  streams: benchStreams,
  ingest: benchIngest,
  reports: benchReports,
  work: benchWork,
  rest: benchRest,
  'audience-plans': writeAudiencePlans,
  'campaign-plans': writeCampaignPlans,
  'workflow-plans': writeWorkflowPlans,
  profile: profileAccepts,
};
type Part = keyof typeof parts;
/** A profile slows down what it looks at, so it is made only when it is asked for. */
const common: Part[] = ['accepts', 'hand-off', 'fairness', 'memory', 'start'];

const usage = `npm run bench -- [--quick] [--contacts=<number>] [${Object.keys(parts).join('] [')}]`;
if (wantsHelp(process.argv.slice(2))) {
  console.log(`usage: ${usage}`);
  process.exit(0);
}
const requested = process.argv.slice(2).filter((text) => !text.startsWith('--'));
const unknown = requested.find((text) => !Object.hasOwn(parts, text));
if (unknown) {
  console.error(`there is no part ${unknown}: ${usage}`);
  process.exit(2);
}

console.log(
  [
    `${cpus().length} cores, Node ${process.version}.`,
    'Product: one process a service, its pools 10 and 5; rate limiter, tracing at its default, relay and consumers on; delivery paused where it does not say otherwise.',
    'References: one process of bare Fastify, an INSERT and COMMIT for each request, pool 16; one nodemailer pool of 16 connections.',
  ].join('\n'),
);
const quick = process.argv.includes('--quick');
const rows: Bench['rows'] = [];
const contacts = Number(process.argv.find((text) => text.startsWith('--contacts='))?.split('=')[1] ?? 0);
const scale = { ...(quick ? scales.quick : scales.full), ...(contacts > 0 ? { audiences: [contacts] } : {}) };
for (const part of requested.length > 0 ? (requested as Part[]) : common) await onFreshServers(part);
const held = report(rows);
// A quick run is too short to judge by: it proves that everything runs and that the rows agree.
process.exitCode = held || quick ? 0 : 1;

/** Each part has servers of its own, so that none works on the rows of another. */
async function onFreshServers(part: Part): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'posthorn-bench-'));
  chmodSync(root, 0o755);
  const readers: Bench['readers'] = new Set();
  const log = (line: string) => readers.forEach((read) => read(line));
  const postgres = await startPostgres({ dataDirectory: join(root, 'postgres'), log, ...settingsFor(part) });
  const nats = await startNats({ dataDirectory: join(root, 'nats'), binDirectory: join('.posthorn', 'bin') });
  const sink = await SinkProcess.start();
  const servers = { databaseUrl: postgres.url, natsUrl: nats.url, smtpUrl: sink.url };
  console.log(`\n${part} … (PostgreSQL: ${await settingsOf(postgres.url)})`);
  try {
    await parts[part]({ servers, sink, rows, scale, readers });
  } finally {
    sink.stop();
    await nats.stop();
    await postgres.stop();
    rmSync(root, { recursive: true, force: true });
  }
}

/** Counting statements costs a little, so only the part that shows them does. */
function settingsFor(part: Part): { settings?: Record<string, string> } {
  if (part !== 'costs' && part !== 'arrivals') return {};
  return {
    settings: { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.track_planning': 'on' },
  };
}

/** As the server itself says. */
async function settingsOf(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows: settings } = await client.query<{ name: string; setting: string }>(
    `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit', 'shared_buffers') ORDER BY name`,
  );
  await client.end();
  return settings.map(({ name, setting }) => `${name} ${setting}`).join(', ');
}
