import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { DevServerError, type Report } from '../dev-server-error.js';
import { lockNextTo } from '../directory-lock.js';
import { choosePort, portTaken } from '../free-port.js';
import { serverAccount } from './postgres-account.js';
import { type PostgresBinaries, postgresBinaries } from './postgres-binaries.js';
import { brokenData, type PostgresData, preparePostgresData } from './postgres-data.js';
import { launchServer, ServerEndedEarly, type ServerProcess } from '../server-process.js';
import type { EmbeddedServer } from '../supervised-server.js';

export interface PostgresOptions {
  dataDirectory: string;
  /** Any free port where none is given. */
  port?: number;
  report?: Report;
  /** Further settings of the server, as in postgresql.conf. */
  settings?: Record<string, string | number | boolean>;
  /** Takes every line of the server's log. */
  log?: (line: string) => void;
}

/** The URL is that of the superuser, in the database `postgres`. */
export type PostgresServer = EmbeddedServer;

interface Launch {
  binaries: PostgresBinaries;
  data: PostgresData;
  options: PostgresOptions;
}

const defaults = { shared_buffers: '128MB', max_connections: 200 };
/** A setting of ours, because Unix socket paths have a length limit that a deep checkout exceeds; the log keeps start, stop and crashes. */
const fixed = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  log_checkpoints: false,
  log_min_messages: 'log',
};
const launchAttempts = 5;

export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const report = options.report ?? (() => {});
  const account = serverAccount();
  const binaries = postgresBinaries(account, report);
  const lock = lockNextTo(resolve(options.dataDirectory), 'PostgreSQL');
  try {
    if (options.port !== undefined) await choosePort(options.port, 'PostgreSQL');
    const data = await preparePostgresData(options.dataDirectory, binaries, account, report);
    const { server, port } = await launch({ binaries, data, options }, 1);
    void server.ended.then(() => lock.release());
    const lastError = () => server.lastLine(/FATAL|PANIC/);
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    await confirmIdentity(url, data.directory, server);
    return { ...server, url, port, lastError };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function launch(
  { binaries, data, options }: Launch,
  attempt: number,
): Promise<{ server: ServerProcess; port: number }> {
  const port = await choosePort(options.port, 'PostgreSQL');
  const settings = { ...defaults, ...fixed, ...options.settings, port };
  try {
    const server = await launchServer({
      program: binaries.postgres,
      arguments: [
        '-D',
        data.directory,
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      environment: { LC_ALL: 'C', TZ: 'UTC' },
      readyLine: /database system is ready to accept (read-only )?connections/,
      ...(data.account ? { uid: data.account.uid } : {}),
      ...(options.log ? { report: options.log } : {}),
    });
    return { server, port };
  } catch (error) {
    if (!(error instanceof ServerEndedEarly)) throw error;
    const retryAfterMs = attempt < launchAttempts ? worthRetrying(error.log, options) : null;
    if (retryAfterMs === null) throw explained(error.log, data.named, port);
    await delay(retryAfterMs);
    return launch({ binaries, data, options }, attempt + 1);
  }
}

function worthRetrying(log: string, { port }: PostgresOptions): number | null {
  if (isPortConflict(log) && port === undefined) return 0;
  // The backends of a server that was killed hard need a moment to notice.
  return log.includes('pre-existing shared memory block') ? 500 : null;
}

function explained(log: string, directory: string, port: number): DevServerError {
  if (isPortConflict(log)) return portTaken(port, 'PostgreSQL');
  const reason = log.split('\n').filter((line) => /FATAL|PANIC|DETAIL|HINT|error/.test(line));
  return brokenData(directory, reason.join('\n') || log.trim());
}

function isPortConflict(log: string): boolean {
  return log.includes('Address already in use') || log.includes('could not create any TCP/IP sockets');
}

async function confirmIdentity(url: string, directory: string, server: ServerProcess): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
    const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
    if (realpathSync(rows[0]?.data_directory ?? '/') === directory) return;
    throw new DevServerError(`Another PostgreSQL server answers at ${url}. Start again, or name a port.`);
  } catch (error) {
    await server.stop();
    throw error;
  } finally {
    await client.end().catch(() => {});
  }
}
