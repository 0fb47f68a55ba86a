// Runs the e2e tests with the services in one process, each in its own, some twice, each on a
// Postgres server of its own, and all behind PgBouncer.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from './swc-options.mjs';

const all = ['one', 'services', 'replicas', 'separate', 'pooler'];
const named = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const unknown = named.find((word) => !all.includes(word));
if (unknown) {
  console.error(`no mode is called ${unknown}: ${all.join(', ')}`);
  process.exit(2);
}
const tallies = [];
for (const mode of named.length > 0 ? named : all) tallies.push(await run(mode));
for (const { mode, seconds, line } of tallies) console.log(`${mode.padEnd(9)} ${line} in ${seconds} s`);
const sum = (member) => tallies.reduce((total, tally) => total + tally[member], 0);
console.log(
  `${sum('passed')} passed, ${sum('failed')} failed${sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : ''}`,
);
process.exit(sum('failed') === 0 && tallies.every(({ code }) => code === 0) ? 0 : 1);

async function run(mode) {
  const began = performance.now();
  console.log(`== ${mode}`);
  // Six processes take longer to start than one, and those of four suites would answer 503.
  const words = [
    '--selectProjects',
    'e2e',
    ...(mode === 'one' ? [] : ['--maxWorkers', '2']),
    ...process.argv.slice(2).filter((word) => word.startsWith('-')),
  ];
  const child = spawn(process.execPath, [join(root, 'tools/build/test.mjs'), ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, POSTHORN_E2E_MODE: mode },
  });
  let line = '0 passed, 1 failed';
  createInterface({ input: child.stdout }).on('line', (output) => {
    if (/^\d+ passed, \d+ failed/.test(output)) line = output;
    else console.log(output);
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  const [passed, failed, skipped = 0] = (line.match(/\d+/g) ?? []).map(Number);
  return {
    mode,
    code,
    line,
    passed,
    failed,
    skipped,
    seconds: Math.round((performance.now() - began) / 1_000),
  };
}
