import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { textOfResponse } from '@posthorn/testing';
import { refuseUndescribed } from './described.js';
import { ExportedTraces } from './exported-traces.js';
import { leaksExported, leaksLogged, leaksStored } from './leaks.js';
import { copyPreparedData } from './prepared-data.js';

/** The last line of a start. */
const started = 'Ctrl-C stops everything';
const program = resolve('dist/apps/all-in-one/src/main.js');
/** As in package.json: without it, a start spends half a second more on garbage collection. */
const nodeFlags = ['--max-semi-space-size=8'];

/** How the services run during these tests; `npm run test:modes` runs all modes. */
export type Mode = 'one' | 'services' | 'replicas' | 'separate' | 'pooler';

/** Arguments of `npm start` and `npm run start:services` in each mode. */
const argumentsOf: Record<Mode, string[]> = {
  one: [],
  services: ['--services'],
  replicas: ['--services', '--replicas', 'gateway=2,sending=2'],
  separate: ['--services', '--separate-databases'],
  pooler: ['--services', '--pooler'],
};

export const mode: Mode = readMode(process.env['POSTHORN_E2E_MODE'] ?? 'one');

function readMode(name: string): Mode {
  if (name in argumentsOf) return name as Mode;
  throw new Error(`POSTHORN_E2E_MODE=${name} is none of ${Object.keys(argumentsOf).join(', ')}`);
}

export interface DevFile {
  baseUrl: string;
  inboxUrl: string;
  projectId: string;
  secretKey: string;
  publicKey: string;
  formKey: string;
  user: { email: string; password: string };
}

interface ServersFile {
  natsUrl: string;
  databaseUrls: string[];
  processes: { name: string; pid: number }[];
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- a client sees JSON, not our types
}

/** A data directory that Postgres can use; `isEmpty` for tests of the first start itself. */
export function makeDataDirectory({ isEmpty = false } = {}): { path: string; remove(): void } {
  const root = mkdtempSync(join(tmpdir(), 'posthorn-e2e-'));
  chmodSync(root, 0o755);
  const path = join(root, 'data');
  if (isEmpty) mkdirSync(path, { mode: 0o755 });
  return { path, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** External databases or secrets do not fit a prepared directory. */
const isOwn = (variable: string): boolean =>
  variable.endsWith('DATABASE_URL') || variable === 'POSTHORN_SECRET_KEY';

/** `npm start` or `npm run start:services` in a process of its own, like a user runs it. */
export class RunningPosthorn {
  output = '';
  private devFile?: DevFile;
  private readonly listen = (chunk: Buffer) => (this.output += chunk.toString());

  private constructor(
    readonly child: ChildProcess,
    readonly dataDirectory: string,
    readonly traces: ExportedTraces,
    private readonly ended = once(child, 'exit').then(([code]) => code as number | null),
    private readonly secrets = new Set<string>(),
  ) {
    for (const stream of this.streams) stream.on('data', this.listen);
  }

  /** Starts it and waits until it is ready or exits. */
  static async launch(
    dataDirectory: string,
    environment: Record<string, string> = {},
    flags: readonly string[] = argumentsOf[mode],
  ): Promise<RunningPosthorn> {
    if (!Object.keys(environment).some(isOwn)) await copyPreparedData(dataDirectory, { program, flags });
    const traces = await ExportedTraces.open(join(dirname(dataDirectory), `traces-${crypto.randomUUID()}`));
    const env = {
      ...process.env,
      PORT: '0',
      INBOX_PORT: '0',
      RATE_LIMIT_ENABLED: 'false',
      LOG_LEVEL: 'debug',
      POSTHORN_DATA_DIR: dataDirectory,
      // The walks send more invalid credentials than any client does.
      FAILED_ATTEMPTS_PER_MINUTE: '100000',
      // The processors of a test may be slow and shared.
      ANSWER_WITHIN_MS: '8000',
      ...traces.environment,
      ...environment,
    };
    const child = spawn(process.execPath, [...nodeFlags, program, ...flags], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const running = new RunningPosthorn(child, dataDirectory, traces);
    for (const key of environment['POSTHORN_SECRET_KEY']?.split(',') ?? [])
      if (key.trim() !== '') running.keepSecret(key.trim());
    await running.untilReady();
    if (running.isRunning) for (const secret of running.ownSecrets()) running.keepSecret(secret);
    return running;
  }

  static async start(
    dataDirectory: string,
    environment: Record<string, string> = {},
    flags?: readonly string[],
  ): Promise<RunningPosthorn> {
    const running = await RunningPosthorn.launch(dataDirectory, environment, flags);
    if (running.isRunning) return running;
    await running.stop();
    throw new Error(`the start ended: ${running.output}`);
  }

  /** The same product for a suite that shares it: what it says and exports from now on. */
  lend(dataDirectory: string): RunningPosthorn {
    this.hearNoMore();
    return new RunningPosthorn(
      this.child,
      dataDirectory,
      this.traces.fromNow(),
      this.ended,
      // The last spans of a suite are exported during the next one.
      this.secrets,
    );
  }

  /** The product runs on. The suite must have left no secrets in it. */
  async giveBack(): Promise<void> {
    const leaks = await leaksStored(this.servers.databaseUrls, this.secrets);
    this.hearNoMore();
    await this.refuseLeaks([...leaks, ...leaksLogged(this.output, this.secrets)]);
    this.refuseRefusals();
  }

  /** Nobody waits for it when this process ends. */
  unref(): void {
    this.child.unref();
    for (const stream of this.streams) (stream as Socket).unref();
  }

  /** Written once by a start. */
  get dev(): DevFile {
    this.devFile ??= JSON.parse(readFileSync(join(this.dataDirectory, 'dev.json'), 'utf8')) as DevFile;
    return this.devFile;
  }

  get servers(): ServersFile {
    return JSON.parse(readFileSync(join(this.dataDirectory, 'servers.json'), 'utf8')) as ServersFile;
  }

  /** Processes of the services; none in one-process mode. */
  get processes(): { name: string; pid: number; adminPort: number }[] {
    const file = join(this.dataDirectory, 'processes.json');
    return existsSync(file)
      ? (JSON.parse(readFileSync(file, 'utf8')) as { name: string; pid: number; adminPort: number }[])
      : [];
  }

  /** kill -9 of all our processes at once; the servers stay. */
  async crash(): Promise<void> {
    for (const pid of [this.child.pid!, ...this.processes.map((each) => each.pid)]) kill(pid);
    await this.endWithout([]);
  }

  /** A value sent by a client, which must not appear anywhere. */
  keepSecret(secret: string): void {
    this.secrets.add(secret);
  }

  /** Ctrl-C; returns the exit code. Stored data, logs and exports must not contain secrets. */
  async stop(): Promise<number | null> {
    const leaks = this.isRunning ? await leaksStored(this.servers.databaseUrls, this.secrets) : [];
    this.child.kill('SIGINT');
    const code = await this.endWithout(leaks);
    this.refuseRefusals();
    return code;
  }

  exitCode(): Promise<number | null> {
    return this.ended;
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request('GET', path, undefined, headers);
  }

  async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request('POST', path, body, headers);
  }

  /** Every response is compared with docs/openapi.json; an undocumented one fails the test. */
  async request(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const raw = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(`${this.dev.baseUrl}${path}`, {
      method,
      headers: {
        // A request with a cookie must not carry a key, which would take precedence.
        ...('cookie' in headers ? {} : { authorization: `Bearer ${this.dev.secretKey}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : raw ? (body as string) : JSON.stringify(body),
    });
    const text = await textOfResponse(response);
    const type = headers['content-type']?.split(';')[0]!.trim().toLowerCase();
    refuseUndescribed(
      { method, path, body, type },
      { status: response.status, headers: response.headers, text },
    );
    for (const [, token] of text.matchAll(/\/reveal\?token=([^"&]+)/g)) this.keepSecret(token!);
    for (const [, token] of text.matchAll(/"confirm_?[Tt]oken":"([^"]+)"/g)) this.keepSecret(token!);
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : null,
    };
  }

  /** Or until it has ended. */
  private untilReady(): Promise<void> {
    const stdout = this.child.stdout!;
    return new Promise((ready) => {
      const look = () => {
        if (!this.output.includes(started)) return;
        // Looking into all that was said, at every line of a long walk, would cost more than the walk.
        stdout.off('data', look);
        ready();
      };
      stdout.on('data', look);
      void this.ended.then(() => ready());
    });
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Created by this start or an earlier one. */
  private ownSecrets(): string[] {
    const key = join(this.dataDirectory, 'secret.key');
    return [this.dev.user.password, ...(existsSync(key) ? [readFileSync(key, 'utf8').trim()] : [])];
  }

  private async endWithout(leaks: readonly string[]): Promise<number | null> {
    const code = await this.ended;
    await this.traces.close();
    // The start prints the demo keys between its first and last lines.
    const begin = this.output.lastIndexOf(started);
    const logged = begin < 0 ? '' : this.output.slice(begin);
    await this.refuseLeaks([...leaks, ...leaksLogged(logged, this.secrets)]);
    return code;
  }

  private async refuseLeaks(found: readonly string[]): Promise<void> {
    const positions = [...found, ...(await leaksExported(this.traces, this.secrets))];
    if (positions.length > 0) throw new Error(`Secrets lie in ${positions.join(', ')}`);
  }

  private refuseRefusals(): void {
    const refused = /NATS refuses: .*/.exec(this.output);
    if (refused) throw new Error(`a user of the bus lacks a permission: ${refused[0]}`);
  }

  private hearNoMore(): void {
    for (const stream of this.streams) stream.off('data', this.listen);
  }

  private get streams(): Readable[] {
    return [this.child.stdout!, this.child.stderr!];
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
