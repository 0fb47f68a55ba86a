import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runAudience } from './audience/run-audience.js';
import { plainLoad } from './loads/plain-load.js';
import { SendingLoad } from './loads/sending-load.js';
import { runChaos, type ChaosOptions } from './run.js';

const { values } = parseArgs({
  options: {
    sends: { type: 'string', default: '10000' },
    faults: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    rate: { type: 'string', default: '250' },
    suite: { type: 'string', default: 'main' },
    keep: { type: 'boolean', default: false },
  },
});
const whole = (name: 'sends' | 'faults' | 'seed' | 'rate'): number => {
  const number = Number(values[name]);
  if (Number.isInteger(number) && number >= 0) return number;
  console.error(
    `--${name} ${values[name]} is no whole number: npm run chaos -- --sends 10000 --faults 100 --seed 1`,
  );
  process.exit(2);
};

type Run = (options: Omit<ChaosOptions, 'load'>) => Promise<boolean>;
const suites: Record<string, Run> = {
  main: (options) => runChaos({ ...options, load: plainLoad }),
  sending: (options) => runChaos({ ...options, load: new SendingLoad() }),
  audience: runAudience,
};
if (!Object.hasOwn(suites, values.suite)) {
  console.error(
    `there is no suite ${values.suite}: npm run chaos -- --suite ${Object.keys(suites).join('|')}`,
  );
  process.exit(2);
}

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
if (green && !values.keep) rmSync(directory, { recursive: true, force: true });
else console.log(`The books of this run: ${directory}`);
process.exit(green ? 0 : 1);
