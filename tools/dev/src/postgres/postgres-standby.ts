import { execFile } from 'node:child_process';
import { chownSync, realpathSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { startPostgres, type PostgresOptions, type PostgresServer } from './postgres-server.js';

export interface StandbyOptions extends PostgresOptions {
  primary: { url: string; port: number; dataDirectory: string };
  /** As `synchronous_standby_names` of the primary may name it. */
  name?: string;
}

/** A server that follows another one, made of a copy of it: the packaged programs hold no pg_basebackup. */
export async function startStandby(options: StandbyOptions): Promise<PostgresServer> {
  const { primary, dataDirectory, name = 'standby', settings = {} } = options;
  await copyRunning(primary, dataDirectory);
  return startPostgres({
    ...options,
    settings: {
      ...settings,
      primary_conninfo: `host=127.0.0.1 port=${primary.port} user=postgres application_name=${name}`,
    },
  });
}

async function copyRunning(primary: StandbyOptions['primary'], to: string): Promise<void> {
  const from = realpathSync(primary.dataDirectory);
  const client = new pg.Client({ connectionString: primary.url });
  await client.connect();
  try {
    await client.query(`SELECT pg_backup_start('standby', true)`);
    // A file that vanishes meanwhile is not needed: the standby replays the log from the start of the copy on.
    await promisify(execFile)('cp', ['-a', from, to]).catch(() => undefined);
    const { rows } = await client.query<{ labelfile: string }>(`SELECT labelfile FROM pg_backup_stop(false)`);
    for (const file of ['postmaster.pid', 'postmaster.opts']) rmSync(join(to, file), { force: true });
    for (const file of readdirSync(join(to, 'pg_wal')))
      if (/^[0-9A-F]{24}$/.test(file)) rmSync(join(to, 'pg_wal', file));
    const { uid, gid } = statSync(from);
    for (const [file, content] of Object.entries({
      backup_label: rows[0]!.labelfile,
      'standby.signal': '',
    })) {
      writeFileSync(join(to, file), content, { mode: 0o600 });
      chownSync(join(to, file), uid, gid);
    }
  } finally {
    await client.end();
  }
}
