// Starts the servers that the tests need, runs every test, and ends with one line over all of them.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from './swc-options.mjs';

const { startPostgres, natsBinary } = await import(join(root, 'dist/tools/dev/src/index.js'));
const directory = mkdtempSync(join(tmpdir(), 'posthorn-test-'));
// As root, Postgres runs as another user, who must reach its folder.
chmodSync(directory, 0o755);
const report = join(directory, 'report.json');
const say = (line) => console.log(line);

const postgres = await startPostgres({
  dataDirectory: join(directory, 'postgres'),
  say,
  settings: { max_connections: '300', track_commit_timestamp: 'on' },
});
// Fetches nats-server once, where the machine has none: every suite then starts its own from the same program.
const binary = await natsBinary({ binDirectory: join(root, '.posthorn', 'bin'), say });

const jest = spawn(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    join(root, 'node_modules/jest/bin/jest.js'),
    '--json',
    `--outputFile=${report}`,
    ...process.argv.slice(2),
  ],
  {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, POSTHORN_TEST_DATABASE_URL: postgres.url, NATS_SERVER_BIN: binary },
  },
);
process.on('SIGINT', () => jest.kill('SIGINT'));
const code = await new Promise((resolve) => jest.on('exit', (exit) => resolve(exit ?? 1)));
await postgres.stop();
const summary = summarise(report);
rmSync(directory, { recursive: true, force: true });
for (const name of summary.skipped) console.log(`skipped: ${name}`);
for (const name of summary.broken) console.log(`failed: ${name}`);
console.log(`${summary.passed} passed, ${summary.failed} failed${summary.skipped.length > 0 ? `, ${summary.skipped.length} skipped` : ''}`);
process.exit(code === 0 && summary.passed === 0 ? 1 : code);

function summarise(file) {
  try {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, testResults } = JSON.parse(readFileSync(file, 'utf8'));
    const skipped = testResults.flatMap(({ assertionResults }) =>
      assertionResults.filter(({ status }) => status === 'pending').map(({ fullName }) => fullName),
    );
    return { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites, skipped, broken: testResults.flatMap(brokenOf) };
  } catch {
    return { passed: 0, failed: 1, skipped: [], broken: [] };
  }
}

/** One line for each failure of a suite: its name and the first of what it says. */
function brokenOf({ name, status, message, assertionResults }) {
  const suite = relative(root, name);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (failed.length === 0) return status === 'failed' ? [`${suite}: ${inOneLine(message)}`] : [];
  return failed.map(({ fullName, failureMessages }) => `${suite}: ${fullName}: ${inOneLine(failureMessages[0] ?? '')}`);
}

function inOneLine(message) {
  return stripVTControlCharacters(message).replaceAll(/\s+/g, ' ').trim().slice(0, 300);
}
