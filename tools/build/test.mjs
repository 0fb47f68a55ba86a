// Starts the servers that the tests need, runs every test, and ends with one line over all of them.
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { root } from './swc-options.mjs';

/** @type {typeof import('@posthorn/dev')} */
const { startPostgres, natsBinary } = await import(join(root, 'dist/tools/dev/src/index.js'));
const temporary = memoryDisk() ?? tmpdir();
const directory = mkdtempSync(join(temporary, 'posthorn-test-'));
// As root, Postgres runs as another user, who must reach its folder.
chmodSync(directory, 0o755);
const report = join(directory, 'report.json');
const maps = join(directory, 'maps');
const prepared = join(directory, 'prepared');
/** What suites share: a file for each process, with its directory in it. */
const shared = join(directory, 'shared');
mkdirSync(maps);
mkdirSync(shared);
const print = (line) => console.log(line);
const { args, tier } = readArguments(process.argv.slice(2));
/** Jest hands it on to its workers, which would otherwise collect young objects all the time. */
const youngSpace = '--max-semi-space-size=32';

const postgres = await startPostgres({
  dataDirectory: join(directory, 'postgres'),
  report: print,
  settings: { max_connections: '300', track_commit_timestamp: 'on' },
});
// Fetches nats-server once, where the machine has none: every suite then starts its own from the same program.
const binary = await natsBinary({ binDirectory: join(root, '.posthorn', 'bin'), report: print });

/** The exit code, and what came of each suite. */
async function run(args) {
  const jest = spawn(
    process.execPath,
    [youngSpace, join(root, 'node_modules/jest/bin/jest.js'), '--json', `--outputFile=${report}`, ...args],
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        POSTHORN_TEST_TIER: tier,
        TMPDIR: temporary,
        POSTHORN_TEST_DATABASE_URL: postgres.url,
        POSTHORN_TEST_MAPS: maps,
        POSTHORN_TEST_PREPARED: prepared,
        POSTHORN_TEST_SHARED: shared,
        NATS_SERVER_BIN: binary,
        // The products that tests start load the same modules again and again.
        NODE_COMPILE_CACHE: join(directory, 'compiled'),
      },
    },
  );
  const interrupt = () => jest.kill('SIGINT');
  process.on('SIGINT', interrupt);
  const code = await new Promise((resolve) => jest.on('exit', (exit) => resolve(exit ?? 1)));
  process.off('SIGINT', interrupt);
  await endShared();
  return { code, suites: read(report) };
}

/** `--tier short`, `long` or `all`, and `--affected`; the rest is for Jest. */
function readArguments(words) {
  const at = words.indexOf('--tier');
  const tier = at < 0 ? 'all' : words[at + 1];
  const others = at < 0 ? words : words.toSpliced(at, 2);
  if (!others.includes('--affected')) return { args: others, tier };
  const folders = affectedProjects();
  if (folders.length === 0) {
    print('no project differs from main\n0 passed, 0 failed');
    process.exit(0);
  }
  return {
    args: [...others.filter((word) => word !== '--affected'), '--passWithNoTests', ...folders],
    tier,
  };
}

/** The folders of the projects that differ from main, or depend on one that does, by the graph of Nx. */
function affectedProjects() {
  const nx = join(root, 'node_modules/.bin/nx');
  const options = {
    cwd: root,
    encoding: /** @type {const} */ ('utf8'),
    env: { ...process.env, NX_DAEMON: 'false' },
  };
  const output = execFileSync(nx, ['show', 'projects', '--affected', '--base=main', '--json'], options);
  const names = new Set(JSON.parse(output));
  return ['apps', 'libs', 'tools'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .map((name) => join(root, folder, name))
      .filter((path) => existsSync(join(path, 'project.json')))
      .filter((path) => names.has(JSON.parse(readFileSync(join(path, 'project.json'), 'utf8')).name))
      .map((path) => `${path}/`),
  );
}

/** Workers end what they shared when they end; one that was killed could not. */
async function endShared() {
  for (const pid of readdirSync(shared)) {
    reaches(Number(pid), 'SIGINT');
    while (reaches(Number(pid), 0)) await setTimeout(50);
    rmSync(dirname(readFileSync(join(shared, pid), 'utf8')), { recursive: true, force: true });
    rmSync(join(shared, pid));
  }
}

function reaches(pid, signal) {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Databases of tests need no disk, and a file system in memory halves what they cost, where it has room for all of them. */
function memoryDisk() {
  const needed = 3 * 1024 ** 3;
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize > needed && freemem() > needed ? '/dev/shm' : null;
  } catch {
    return null;
  }
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).testResults;
  } catch {
    return null;
  } finally {
    rmSync(file, { force: true });
  }
}

const isRed = ({ status }) => status === 'failed';
// A machine that stands still for a second turns a call's patience red. What is broken is red alone as well, but for what is broken by
// chance: so it is said by name, and CI says it once more at its end.
const fewSuites = 3;
let { code, suites } = await run(args);
const unsteady = [];
const red = suites?.filter(isRed) ?? [];
if (red.length > 0 && red.length <= fewSuites && process.env.CI) {
  print(`red: ${red.flatMap(brokenOf).join('\n     ')}\nOnce more, alone:`);
  const again = await run(['--runInBand', '--forceExit', '--runTestsByPath', ...red.map(({ name }) => name)]);
  if (again.suites !== null) {
    unsteady.push(
      ...red
        .filter(({ name }) => again.suites.some((suite) => suite.name === name && !isRed(suite)))
        .flatMap(brokenOf),
    );
    suites = suites.map((suite) => again.suites.find(({ name }) => name === suite.name) ?? suite);
    code = again.code;
  }
}
await postgres.stop();
const summary = summarise(suites);
rmSync(directory, { recursive: true, force: true });
if (tier === 'short' && summary.passed + summary.failed === 0)
  print('nothing here; the suites of half a minute and more are tests of npm run test:long');
for (const name of summary.skipped) console.log(`skipped: ${name}`);
for (const name of unsteady) console.log(`unsteady: ${name}`);
for (const name of summary.broken) console.log(`failed: ${name}`);
console.log(
  `${summary.passed} passed, ${summary.failed} failed${summary.skipped.length > 0 ? `, ${summary.skipped.length} skipped` : ''}`,
);
process.exit(code === 0 && (summary.passed === 0 || summary.failed > 0) ? 1 : code);

function summarise(suites) {
  if (suites === null) return { passed: 0, failed: 1, skipped: [], broken: [] };
  const tests = suites.flatMap(({ assertionResults }) => assertionResults);
  const count = (status) => tests.filter((test) => test.status === status).length;
  const unread = suites.filter((suite) => isRed(suite) && !suite.assertionResults.some(isRed)).length;
  return {
    passed: count('passed'),
    failed: count('failed') + unread,
    skipped: tests.filter(({ status }) => status === 'pending').map(({ fullName }) => fullName),
    broken: suites.flatMap(brokenOf),
  };
}

/** One line for each failure of a suite: its name and the first of what it says. */
function brokenOf({ name, status, message, assertionResults }) {
  const suite = relative(root, name);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (failed.length === 0) return status === 'failed' ? [`${suite}: ${inOneLine(message)}`] : [];
  // What fails before the tests of a suite fails in each of them.
  const byMessage = Map.groupBy(failed, ({ failureMessages }) => inOneLine(failureMessages[0] ?? ''));
  return [...byMessage].map(([text, [{ fullName }, ...others]]) => {
    const more = others.length > 0 ? ` (and ${others.length} more tests)` : '';
    return `${suite}: ${fullName}${more}: ${text}`;
  });
}

function inOneLine(message) {
  return stripVTControlCharacters(message).replaceAll(/\s+/g, ' ').trim().slice(0, 300);
}
