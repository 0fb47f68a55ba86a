import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readArguments, wantsHelp } from '@posthorn/platform';
import { runAudience } from './audience/run-audience.js';
import { plainLoad } from './loads/plain-load.js';
import { SendingLoad } from './loads/sending-load.js';
import { runChaos } from './run.js';
import { runNeighbours } from './suites/neighbours.js';
import { runOperations } from './suites/operations.js';
import { runPoison } from './suites/poison.js';
import { runRelay } from './suites/relay.js';
import { runStops } from './suites/stops.js';
import type { SuiteOptions } from './suites/suite.js';

const help =
  'npm run chaos -- [--suite main|sending|audience|neighbours|poison|operations|relay|stops] [--sends N] [--faults N] [--cases N] [--seed 1] [--rate N] [--keep]';
const defaults = { sends: '10000', faults: '100', cases: '5000', seed: '1', rate: '250', suite: 'main' };
/** Where a suite needs others. */
const defaultsOf: Record<string, Partial<typeof defaults>> = {
  neighbours: { sends: '5000', rate: '14' },
  relay: { sends: '1800' },
  stops: { sends: '3000', faults: '12' },
};

const refuse = (mistake: string): never => {
  console.error(mistake);
  process.exit(2);
};
const texts = process.argv.slice(2);
if (wantsHelp(texts)) {
  console.log(`usage: ${help}`);
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
  poison: runPoison,
  operations: runOperations,
  relay: runRelay,
  stops: runStops,
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
