import { afterAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from './postgres-server.js';
import { runningProcess } from '../running-process.js';

const folder = mkdtempSync(join(tmpdir(), 'posthorn-postgres-'));
// Closed to others, the data would go to /var/lib/posthorn when the tests run as root.
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function query<T extends pg.QueryResultRow>(url: string, text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<T>(text);
  await client.end();
  return rows;
}

/** Starts a server from a process of its own, as npm start does, which then knows nothing else but to wait. */
async function launchElsewhere(
  dataDirectory: string,
): Promise<{ pid: number; launcher: ReturnType<typeof spawn> }> {
  const script = `
    import { registerHooks } from 'node:module';
    registerHooks({ resolve: (name, context, next) => next(context.parentURL?.includes('/tools/dev/') ? name.replace(/\\.js$/, '.ts') : name, context) });
    const { startPostgres } = await import(${JSON.stringify(new URL('postgres-server.ts', import.meta.url).href)});
    console.log((await startPostgres({ dataDirectory: ${JSON.stringify(dataDirectory)} })).pid);`;
  const launcher = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [pid] = await once(launcher.stdout, 'data');
  return { pid: Number(pid), launcher };
}

describe('the embedded PostgreSQL', () => {
  const dataDirectory = join(folder, 'warm');

  it('keeps its data over a restart, and syncs to disk', async () => {
    const first = await startPostgres({ dataDirectory, settings: { max_connections: 50 } });
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    expect(await query(first.url, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
    expect(await query(first.url, 'SHOW max_connections')).toEqual([{ max_connections: '50' }]);
    await first.stop();
    expect(runningProcess(first.pid)).toBeNull();
    const second = await startPostgres({ dataDirectory });
    expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    await second.stop();
  });

  it('says that another start has the directory', async () => {
    const first = await startPostgres({ dataDirectory });
    await expect(startPostgres({ dataDirectory })).rejects.toThrow(
      `PostgreSQL already runs on ${dataDirectory} (process ${process.pid})`,
    );
    await first.stop();
  });

  it('stops the server of a launcher that was killed, and starts again', async () => {
    const { pid, launcher } = await launchElsewhere(dataDirectory);
    launcher.kill('SIGKILL');
    await once(launcher, 'exit');
    expect(runningProcess(pid)).not.toBeNull();
    const text: string[] = [];
    const server = await startPostgres({ dataDirectory, report: (line) => text.push(line) });
    expect(text).toEqual([
      `Stopping the PostgreSQL server (process ${pid}) that an earlier start left behind`,
    ]);
    expect(runningProcess(pid)).toBeNull();
    await server.stop();
  });

  it('ignores a postmaster.pid whose number now belongs to another program', async () => {
    writeFileSync(join(dataDirectory, 'postmaster.pid'), `${process.pid}\n${dataDirectory}\n`);
    await (await startPostgres({ dataDirectory })).stop();
  });

  it('says what to do about a taken port', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    await expect(startPostgres({ dataDirectory, port })).rejects.toThrow(
      `Port ${port} for PostgreSQL is taken on 127.0.0.1. Stop what listens there`,
    );
    other.close();
  });

  it('says what to do about a directory with other files', async () => {
    const unknown = join(folder, 'strange');
    mkdirSync(unknown);
    writeFileSync(join(unknown, 'letter.txt'), 'dear');
    await expect(startPostgres({ dataDirectory: unknown })).rejects.toThrow(
      /no PG_VERSION.*\n.*mv .*strange .*strange\.broken/,
    );
  });

  it('says what to do about a directory of another version', async () => {
    const old = join(folder, 'old');
    mkdirSync(old);
    writeFileSync(join(old, 'PG_VERSION'), '15\n');
    await expect(startPostgres({ dataDirectory: old })).rejects.toThrow(
      'it was made by PostgreSQL 15, and this is 18',
    );
  });

  it('says what to do about damaged files', async () => {
    rmSync(join(dataDirectory, 'global/pg_control'));
    await expect(startPostgres({ dataDirectory })).rejects.toThrow(
      /cannot be used: [^]*start with an empty one/,
    );
  });
});
