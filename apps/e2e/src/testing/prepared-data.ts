import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

const run = promisify(execFile);
const prepareLock = 7_301_004;
/** Written by a running product and invalid for the next one. */
const ofOneRun = ['servers.json', 'processes.json'];

/** The program and arguments that start a product. */
export interface Start {
  program: string;
  flags: readonly string[];
}

/**
 * Fills a new data directory with the result of a first start, which is made once per test run: copying takes
 * a fraction of the time of creating clusters and migrating.
 */
export async function copyPreparedData(directory: string, start: Start): Promise<void> {
  const root = process.env['POSTHORN_TEST_PREPARED'];
  if (!root || existsSync(directory)) return;
  const prepared = join(root, start.flags.includes('--separate-databases') ? 'separate' : 'shared');
  if (!existsSync(prepared)) await prepareOnce(prepared, start);
  await run('cp', ['-a', prepared, directory]);
}

/** Workers of a run share the database server; its advisory lock keeps them from preparing twice. */
async function prepareOnce(prepared: string, start: Start): Promise<void> {
  const admin = new pg.Client({ connectionString: process.env['POSTHORN_TEST_DATABASE_URL'] });
  await admin.connect();
  try {
    await admin.query('SELECT pg_advisory_lock($1)', [prepareLock]);
    if (!existsSync(prepared)) await prepare(prepared, start);
  } finally {
    await admin.end();
  }
}

async function prepare(prepared: string, { program, flags }: Start): Promise<void> {
  const draft = `${prepared}.draft`;
  mkdirSync(dirname(prepared), { recursive: true });
  const environment = { ...process.env, PORT: '0', INBOX_PORT: '0', POSTHORN_DATA_DIR: draft };
  const child = spawn(process.execPath, [program, ...flags], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('Ctrl-C stops everything')) child.kill('SIGINT');
    });
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`a data directory could not be prepared: ${output}`);
  for (const name of ofOneRun) rmSync(join(draft, name), { force: true });
  renameSync(draft, prepared);
}
