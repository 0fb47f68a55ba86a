import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readArguments, wantsHelp } from '@posthorn/platform';
import { runAudience } from './audience/run-audience.js';
import { plainLoad } from './loads/load.js';
import { SendingLoad } from './loads/sending-load.js';
import { runChaos } from './run.js';
import { runCampaigns } from './suites/campaigns/campaigns.js';
import { runCluster } from './suites/cluster/cluster.js';
import { runFailover } from './suites/failover/failover.js';
import { runCrowds } from './suites/crowds/crowds.js';
import { runProviderEvents } from './suites/provider-events.js';
import type { SuiteOptions } from './suites/suite.js';
import { runWorkflows } from './suites/workflows/workflows.js';

const help = 'npm run chaos -- [--suite NAME] [--sends N] [--faults N] [--seed 1] [--rate N] [--keep]';
const suitesHelp = `
suites:
  main        faults at every state of a message's life (the default): --sends 10000 --faults 100 --rate 250
  sending     the same with templates, files, copies, schedules, cancellations and suppressions
  audience    faults in imports, segment updates and erasures
  campaigns   two campaigns under faults, while people leave and somebody pauses: --sends 20000 (people) --faults 54 --rate 150
  workflows   executions with mails, waits, timers and webhooks under faults: --sends 5000 (executions) --faults 54 --rate 200
  provider-events  kills while a provider reports: --sends 2000 --faults 45 (kills)
  cluster     three NATS servers, each killed in turn, then two, then all with their stores: --rate 20
  failover    ten kills of the primary of a synchronous pair under load: --sends 10000 --faults 10 (kills)
  failover-pooled  the same with PgBouncer in transaction mode between
  crowds      one project alone, and beside mail of strangers, held connections, slow texts and two hundred workflows: --rate 0
It exits with 1 when a property is broken.`;
const defaults = { sends: '10000', faults: '100', seed: '1', rate: '250', suite: 'main' };
/** Where a suite needs others. */
const defaultsOf: Record<string, Partial<typeof defaults>> = {
  campaigns: { sends: '20000', faults: '54', rate: '150' },
  workflows: { sends: '5000', faults: '54', rate: '200' },
  'provider-events': { sends: '2000', faults: '45' },
  cluster: { rate: '20' },
  crowds: { rate: '0' },
  failover: { faults: '10', rate: '0' },
  'failover-pooled': { faults: '10', rate: '0' },
};

const refuse = (mistake: string): never => {
  console.error(mistake);
  process.exit(2);
};
const texts = process.argv.slice(2);
if (wantsHelp(texts)) {
  console.log(`usage: ${help}${suitesHelp}`);
  process.exit(0);
}
const { values, flags } = given();

function given(): { values: typeof defaults; flags: ReadonlySet<string> } {
  try {
    const read = readArguments(texts, { options: Object.keys(defaults), flags: ['keep'], help });
    const suite = read.values['suite'] ?? defaults.suite;
    return { values: { ...defaults, ...defaultsOf[suite], ...read.values }, flags: read.flags };
  } catch (error) {
    return refuse((error as Error).message);
  }
}

function whole(name: 'sends' | 'faults' | 'seed' | 'rate'): number {
  const number = Number(values[name]);
  if (Number.isInteger(number) && number >= 0) return number;
  return refuse(`--${name} ${values[name]} is no whole number: ${help}`);
}

const suites: Record<string, (options: SuiteOptions) => Promise<boolean>> = {
  main: (options) => runChaos('main', options, plainLoad),
  sending: (options) => runChaos('sending', options, new SendingLoad()),
  audience: runAudience,
  campaigns: runCampaigns,
  workflows: runWorkflows,
  'provider-events': runProviderEvents,
  cluster: runCluster,
  crowds: runCrowds,
  failover: (options) => runFailover(options),
  'failover-pooled': (options) => runFailover(options, { pooled: true }),
};
if (!Object.hasOwn(suites, values.suite)) refuse(`there is no suite ${values.suite}: ${help}`);

// Postgres runs as another user, who must reach its folder.
const directory = mkdtempSync(join(tmpdir(), 'posthorn-chaos-'));
chmodSync(directory, 0o755);
const green = await suites[values.suite]!({
  directory,
  sends: whole('sends'),
  faults: whole('faults'),
  seed: whole('seed'),
  ratePerSecond: whole('rate'),
});
if (green && !flags.has('keep')) rmSync(directory, { recursive: true, force: true });
else console.log(`The books of this run: ${directory}`);
process.exit(green ? 0 : 1);
