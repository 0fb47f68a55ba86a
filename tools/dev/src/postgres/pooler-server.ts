import { execFile } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { DevServerError, type Report } from '../dev-server-error.js';
import { choosePort } from '../free-port.js';
import { serverAccount } from './postgres-account.js';
import { launchServer } from '../server-process.js';
import type { EmbeddedServer } from '../supervised-server.js';

export interface PoolerOptions {
  /** For its configuration. */
  directory: string;
  /** URLs of the databases, each with its account; the servers behind them trust this machine. */
  databases: readonly string[];
  /** The most connections to the server for each account of a database. */
  poolSize: number;
  port?: number;
  report?: Report;
}

/** Before it, named statements break in transaction mode. */
const oldest = [1, 21] as const;
const wanted = `PgBouncer ${oldest.join('.')} or newer`;

/** PgBouncer in transaction mode, in front of databases of any server. The URL names no database. */
export async function startPooler(options: PoolerOptions): Promise<EmbeddedServer> {
  const program = await poolerBinary();
  if (program === null) throw new DevServerError(`${wanted} is not installed: apt-get install pgbouncer`);
  const account = serverAccount();
  const port = await choosePort(options.port, 'PgBouncer');
  mkdirSync(options.directory, { recursive: true, mode: 0o755 });
  const files = { 'pgbouncer.ini': configurationOf(options, port), 'users.txt': usersOf(options) };
  for (const [name, content] of Object.entries(files)) {
    const file = join(options.directory, name);
    writeFileSync(file, content, { mode: 0o600 });
    chmodSync(file, 0o600);
    if (account) chownSync(file, account.uid, account.uid);
  }
  const server = await launchServer({
    program,
    arguments: [join(options.directory, 'pgbouncer.ini')],
    readyLine: /process up/,
    ...(account ? { uid: account.uid } : {}),
    ...(options.report ? { report: options.report } : {}),
  });
  const lastError = () => server.lastLine(/ERROR|FATAL/);
  return { ...server, url: `postgres://127.0.0.1:${port}`, port, lastError };
}

/** The same database and account by way of the pooler. */
export function byWayOf(pooler: { port: number }, url: string): string {
  const pooled = new URL(url);
  pooled.host = `127.0.0.1:${pooler.port}`;
  return pooled.href;
}

/** Null where this machine has none that is new enough. */
export async function poolerBinary(): Promise<string | null> {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/bin'];
  const found = folders.map((folder) => join(folder, 'pgbouncer')).filter((file) => existsSync(file));
  for (const file of found) if (isNewEnough(await versionOf(file))) return file;
  return null;
}

async function versionOf(file: string): Promise<string> {
  try {
    return (await promisify(execFile)(file, ['--version'])).stdout;
  } catch {
    return '';
  }
}

function isNewEnough(text: string): boolean {
  const [, major = '0', minor = '0'] = /PgBouncer (\d+)\.(\d+)/.exec(text) ?? [];
  return Number(major) > oldest[0] || (Number(major) === oldest[0] && Number(minor) >= oldest[1]);
}

function configurationOf({ databases, poolSize, directory }: PoolerOptions, port: number): string {
  const lines = databases.map((url) => {
    const { hostname, port: its, pathname } = new URL(url);
    const name = decodeURIComponent(pathname.slice(1));
    return `${name} = host=${hostname} port=${its || 5432} dbname=${name}`;
  });
  return `[databases]
${[...new Set(lines)].join('\n')}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(directory, 'users.txt')}
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 2000
max_prepared_statements = 500
server_login_retry = 1
query_wait_timeout = 30
log_connections = 0
log_disconnections = 0
`;
}

function usersOf({ databases }: PoolerOptions): string {
  const users = databases.map((url) => {
    const { username, password } = new URL(url);
    return `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"`;
  });
  return `${[...new Set(users)].join('\n')}\n`;
}
