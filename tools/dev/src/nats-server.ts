import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { DevServerError, type Report } from './dev-server-error.js';
import { lockDirectory } from './directory-lock.js';
import { choosePort, portTaken } from './free-port.js';
import { natsBinary } from './nats-binary.js';
import { runningProcess, stopLeftBehind } from './running-process.js';
import { launchServer, ServerEndedEarly, type ServerProcess } from './server-process.js';
import type { EmbeddedServer } from './supervised-server.js';

export interface NatsOptions {
  /** Holds the JetStream store. */
  dataDirectory: string;
  /** Any free port where none is given. */
  port?: number;
  report?: Report;
  /** Where a fetched nats-server is kept; `bin` beside the data directory unless given. */
  binDirectory?: string;
  /** Text of its configuration file, such as its users; only its owner can read the file. */
  configuration?: string;
  /** What the configuration names. */
  environment?: Record<string, string>;
  /** A member of a cluster keeps its name; otherwise every start has a new one. */
  name?: string;
}

export type NatsServer = EmbeddedServer;

const errorLine = /\[(ERR|FTL)\]|nats-server:/;
const launchAttempts = 3;

export async function startNats(options: NatsOptions): Promise<NatsServer> {
  const report = options.report ?? (() => {});
  const directory = resolve(options.dataDirectory);
  const program = await natsBinary({
    binDirectory: resolve(options.binDirectory ?? join(dirname(directory), 'bin')),
    report,
  });
  const lock = lockDirectory(directory, 'NATS');
  try {
    await stopOrphan(directory, report);
    const { configuration, environment, name } = options;
    const what = { program, directory, configuration, environment, name };
    const { server, port } = await launch(what, options.port, 1);
    void server.ended.then(() => lock.release());
    const lastError = () => server.lastLine(errorLine);
    return { ...server, url: `nats://127.0.0.1:${port}`, port, lastError };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function stopOrphan(directory: string, report: Report): Promise<void> {
  const file = pidFile(directory);
  if (!existsSync(file)) return;
  const found = runningProcess(Number(readFileSync(file, 'utf8')));
  if (found?.arguments.includes(directory)) {
    report(`Stopping the nats-server (process ${found.pid}) that an earlier start left behind`);
    await stopLeftBehind(found, 'The nats-server');
  }
  rmSync(file, { force: true });
}

function pidFile(directory: string): string {
  return join(directory, 'nats-server.pid');
}

interface Launch {
  program: string;
  directory: string;
  configuration: string | undefined;
  environment: Record<string, string> | undefined;
  name: string | undefined;
}

/** The command line wins where both say something. */
function configurationFile({ directory, configuration }: Launch): string[] {
  if (configuration === undefined) return [];
  const file = join(directory, 'nats-server.conf');
  mkdirSync(directory, { recursive: true });
  rmSync(file, { force: true });
  writeFileSync(file, configuration, { mode: 0o600 });
  return ['-c', file];
}

async function launch(
  what: Launch,
  preferredPort: number | undefined,
  attempt: number,
): Promise<{ server: ServerProcess; port: number }> {
  const { program, directory } = what;
  const port = await choosePort(preferredPort, 'NATS');
  const name = what.name ?? `posthorn-${randomUUID()}`;
  try {
    const server = await launchServer({
      program,
      arguments: [
        ...configurationFile(what),
        '-a',
        '127.0.0.1',
        '-p',
        String(port),
        '-n',
        name,
        '-js',
        '-sd',
        directory,
        '-P',
        pidFile(directory),
      ],
      environment: what.environment,
      readyLine: /Server is ready/,
    });
    await confirmIdentity(port, name, server);
    return { server, port };
  } catch (error) {
    if (!(error instanceof ServerEndedEarly)) throw error;
    if (!error.log.includes('address already in use')) throw brokenStore(directory, error.log);
    if (preferredPort !== undefined || attempt === launchAttempts) throw portTaken(port, 'NATS');
    return launch(what, preferredPort, attempt + 1);
  }
}

function brokenStore(directory: string, log: string): DevServerError {
  const reason = log.split('\n').filter((line) => errorLine.test(line));
  return new DevServerError(
    `nats-server does not start on ${directory}: ${reason.join('\n') || log}\n` +
      `Nothing is lost without that directory, the databases hold the truth: mv ${directory} ${directory}.broken`,
  );
}

/** A server greets every client with INFO; its name proves that it is ours and not another one that took the port. */
async function confirmIdentity(port: number, name: string, server: ServerProcess): Promise<void> {
  try {
    const info = await greeting(port);
    if (info.server_name !== name)
      throw new DevServerError(`Another server answers on port ${port}. Start again, or name a port.`);
    if (info.jetstream !== true)
      throw new DevServerError(`nats-server ${info.version} has no JetStream. Use version 2.9.10 or later.`);
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function greeting(
  port: number,
): Promise<{ server_name?: string; version?: string; jetstream?: boolean }> {
  const socket = connect(port, '127.0.0.1');
  try {
    let received = '';
    socket
      .setEncoding('utf8')
      .setTimeout(10_000, () =>
        socket.destroy(new DevServerError(`nats-server does not answer on port ${port}.`)),
      );
    for await (const chunk of socket) {
      received += String(chunk);
      if (received.includes('\r\n')) break;
    }
    return JSON.parse(/^INFO (.*)\r\n/.exec(received)?.[1] ?? '{}');
  } finally {
    socket.destroy();
  }
}
