import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { wantsHelp } from '@posthorn/platform';
import { changed, changesOf, readMutants, type Mutant } from './mutant.js';

const root = resolve('.');
const requested = process.argv.slice(2);
if (wantsHelp(requested)) {
  console.log('usage: npm run mutants -- [part of the name of a mutant in tools/mutants/patches …]');
  process.exit(0);
}
const mutants = readMutants('tools/mutants/patches').filter(
  ({ name }) => requested.length === 0 || requested.some((part) => name.includes(part)),
);
if (mutants.length === 0) {
  console.error(`no mutant is called ${requested.join(', ')}: look into tools/mutants/patches`);
  process.exit(2);
}

// Tests wait more than they compute; a chaos run has the machine to itself.
const isTest = ({ run: script }: Mutant): boolean => script.startsWith('test ');
const copies = [await copyOfTheTree(), await copyOfTheTree()];
const survivors: string[] = [];
let judged = 0;
try {
  const tests = mutants.filter(isTest);
  await Promise.all(
    copies.map(async (copy) => {
      for (let next = tests.shift(); next; next = tests.shift()) await judge(next, copy);
    }),
  );
  for (const mutant of mutants.filter((each) => !isTest(each))) await judge(mutant, copies[0]!);
} finally {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
}
console.log(
  `${mutants.length - survivors.length} of ${mutants.length} mutants were caught${survivors.length > 0 ? `; not: ${survivors.join(', ')}` : ''}`,
);
process.exit(survivors.length > 0 ? 1 : 0);

/** Every file that git knows or would take, with the modules of this tree. */
async function copyOfTheTree(): Promise<string> {
  const to = mkdtempSync(join(tmpdir(), 'posthorn-mutants-'));
  chmodSync(to, 0o755);
  const { output } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard'], root);
  for (const file of output.split('\n').filter((line) => line && existsSync(join(root, line)))) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    cpSync(join(root, file), join(to, file));
  }
  symlinkSync(join(root, 'node_modules'), join(to, 'node_modules'));
  return to;
}

/** Applies one mutant to a copy, runs its check, and puts the files back. */
async function judge(mutant: Mutant, copy: string): Promise<void> {
  const began = performance.now();
  const originals = new Map(
    changesOf(mutant).map(({ file }) => [file, readFileSync(join(copy, file), 'utf8')]),
  );
  try {
    for (const each of changesOf(mutant)) {
      const path = join(copy, each.file);
      writeFileSync(path, changed(mutant.name, each, readFileSync(path, 'utf8')));
    }
    const { code, output } = await run('npm', ['run', ...mutant.run.split(' ')], copy);
    const caught = code !== 0 && output.includes(mutant.says);
    if (!caught) survivors.push(mutant.name);
    const verdict = caught ? 'caught  ' : 'SURVIVED';
    console.log(
      `${(judged += 1)}/${mutants.length} ${verdict} ${mutant.name} (${Math.round((performance.now() - began) / 1_000)} s): ${mutant.breaks.trim()}`,
    );
    if (!caught) console.log(output.split('\n').slice(-40).join('\n'));
  } finally {
    for (const [file, source] of originals) writeFileSync(join(copy, file), source);
  }
}

async function run(
  program: string,
  args: string[],
  cwd: string,
): Promise<{ code: number | null; output: string }> {
  // Asked once, also in CI: a mutant that is caught by chance is caught.
  const child = spawn(program, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, CI: '', POSTHORN_TEST_TIMEOUT_MS: '120000' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}
