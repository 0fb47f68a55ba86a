import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readArguments, wantsHelp } from '@posthorn/platform';
import { runAudience } from './audience/run-audience.js';
import { plainLoad } from './loads/plain-load.js';
import { SendingLoad } from './loads/sending-load.js';
import { runChaos } from './run.js';
import { runCampaigns } from './suites/campaigns/campaigns.js';
import { runCrowds } from './suites/crowds.js';
import { runNeighbours } from './suites/neighbours.js';
import { runOperations } from './suites/operations.js';
import { runProviderEvents } from './suites/provider-events.js';
import { runPoison } from './suites/poison.js';
import { runRelay } from './suites/relay.js';
import { runStops } from './suites/stops.js';
import type { SuiteOptions } from './suites/suite.js';
import { runWorkflows } from './suites/workflows/workflows.js';

const help =
  'npm run chaos -- [--suite NAME] [--sends N] [--faults N] [--cases N] [--seed 1] [--rate N] [--keep]';
const suitesHelp = `
suites:
  main        faults at every state of a message's life (the default): --sends 10000 --faults 100 --rate 250
  sending     the same with templates, files, copies, schedules, cancellations and suppressions
  audience    faults in imports, segment updates and erasures
  neighbours  five bad projects beside a quiet one at the default rate: --sends 5000 (queued by the disabled one) --rate 14
  crowds      one project alone, and beside mail of strangers, held connections, slow texts and two hundred workflows: --rate 0
  poison      generated Liquid and SMTP replies beside innocent mail: --cases 5000
  operations  a dump under load, a restore of a day-old copy, mail past its day, the previous release on this schema
  relay       NATS refuses events for days, with one day of retention: --sends 1800
  provider-events  kills while a provider reports: --sends 2000 --faults 45 (kills)
  campaigns   two campaigns under faults, while people leave and somebody pauses: --sends 20000 (people) --faults 54 --rate 150
  workflows   executions with mails, waits, timers and webhooks under faults: --sends 5000 (executions) --faults 54 --rate 200
  stops       every process stands still for 26 to 59 s: --sends 3000 --faults 12 (stops)
It exits with 1 when a property is broken.`;
const defaults = { sends: '10000', faults: '100', cases: '5000', seed: '1', rate: '250', suite: 'main' };
/** Where a suite needs others. */
const defaultsOf: Record<string, Partial<typeof defaults>> = {
  neighbours: { sends: '5000', rate: '14' },
  crowds: { rate: '0' },
  relay: { sends: '1800' },
  stops: { sends: '3000', faults: '12' },
  campaigns: { sends: '20000', faults: '54', rate: '150' },
  'provider-events': { sends: '2000', faults: '45' },
  workflows: { sends: '5000', faults: '54', rate: '200' },
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

function whole(name: 'sends' | 'faults' | 'cases' | 'seed' | 'rate'): number {
  const number = Number(values[name]);
  if (Number.isInteger(number) && number >= 0) return number;
  return refuse(`--${name} ${values[name]} is no whole number: ${help}`);
}

type Run = (options: SuiteOptions) => Promise<boolean>;
const suites: Record<string, Run> = {
  main: (options) => runChaos({ ...options, load: plainLoad }),
  sending: (options) => runChaos({ ...options, load: new SendingLoad() }),
  audience: runAudience,
  neighbours: runNeighbours,
  crowds: runCrowds,
  poison: runPoison,
  operations: runOperations,
  relay: runRelay,
  stops: runStops,
  campaigns: runCampaigns,
  'provider-events': runProviderEvents,
  workflows: runWorkflows,
};
if (!Object.hasOwn(suites, values.suite)) refuse(`there is no suite ${values.suite}: ${help}`);

// Postgres runs as another user, who must reach its folder.
const directory = mkdtempSync(join(tmpdir(), 'posthorn-chaos-'));
chmodSync(directory, 0o755);
const green = await suites[values.suite]!({
  directory,
  sends: whole('sends'),
  faults: whole('faults'),
  cases: whole('cases'),
  seed: whole('seed'),
  ratePerSecond: whole('rate'),
});
if (green && !flags.has('keep')) rmSync(directory, { recursive: true, force: true });
else console.log(`The books of this run: ${directory}`);
process.exit(green ? 0 : 1);
