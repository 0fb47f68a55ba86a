import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  cloneDatabase,
  eventually,
  freePort,
  startTestNats,
  testSecret,
  type TestDatabase,
  type TestNats,
} from '@posthorn/testing';
import pg from 'pg';
import * as parts from '../../../apps/analytics/src/data-source.js';
import { runCommand } from './run-command.js';

let database: TestDatabase;
let nats: TestNats;
beforeAll(async () => {
  nats = await startTestNats();
});
afterAll(() => nats.stop());
beforeEach(async () => {
  database = await cloneDatabase('analytics', parts);
});
afterEach(() => database.drop());

async function inDatabase<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

class Started {
  said = '';
  private constructor(
    readonly child: ChildProcess,
    private readonly port: number,
  ) {
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (chunk: Buffer) => (this.said += chunk.toString()));
  }

  static async start(environment: Record<string, string>): Promise<Started> {
    const port = await freePort();
    const program = new URL('../../../dist/apps/analytics/src/main.js', import.meta.url).pathname;
    const child = spawn(process.execPath, [program], {
      env: {
        PATH: process.env['PATH'],
        NATS_URL: nats.url,
        POSTHORN_SECRET_KEY: testSecret,
        ADMIN_PORT: String(port),
        ...environment,
      },
    });
    return new Started(child, port);
  }

  async readyz(): Promise<string> {
    return fetch(`http://127.0.0.1:${this.port}/readyz`).then(
      async (answer) => `${answer.status} ${(await answer.text()).trim()}`,
      () => 'none',
    );
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    if (this.child.exitCode === null && this.child.kill('SIGTERM')) await ended;
  }
}

describe('a service that does not migrate', () => {
  it('waits until the job has, which may be repeated', async () => {
    await inDatabase((client) => client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public'));
    const environment = { ANALYTICS_DATABASE_URL: database.url };
    const service = await Started.start({ ...environment, MIGRATE_AT_START: 'false' });
    await eventually(
      async () => (await service.readyz()) === '503 migrations are pending',
      'it says what it waits for',
    );
    const lines: string[] = [];
    const prompt = {
      environment,
      print: (line: string) => lines.push(line),
      complain: (line: string) => lines.push(line),
    };
    expect(await runCommand(['migrate', '--service', 'analytics'], prompt)).toBe(0);
    await eventually(async () => (await service.readyz()) === '200 ready', 'it goes on');
    expect(await runCommand(['migrate', '--service', 'analytics'], prompt)).toBe(0);
    expect(lines).toEqual([
      expect.stringMatching(/^analytics: migrated in one step to AnalyticsBaseline/),
      'analytics: no migration is pending',
    ]);
    expect(await runCommand(['migrate', '--service', 'billing'], prompt)).toBe(1);
    expect(lines.at(-1)).toMatch(/^migrate needs --service, one of /);
    await service.stop();
  });
});

describe('a service that starts while Postgres recovers', () => {
  it('waits, says for what, and serves as soon as it can', async () => {
    let recovering = true;
    const target = new URL(database.url);
    const sockets = new Set<Socket>();
    const line = createServer((near) => {
      sockets.add(near.on('error', () => undefined));
      if (recovering) return near.once('data', () => near.end(recoveryMessage));
      const far = connect(Number(target.port), target.hostname).on('error', () => near.destroy());
      sockets.add(far);
      return near.pipe(far).pipe(near);
    });
    await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve));
    const url = new URL(database.url);
    url.port = String((line.address() as AddressInfo).port);
    const service = await Started.start({ ANALYTICS_DATABASE_URL: url.href });
    await eventually(
      async () =>
        (await service.readyz()) ===
        `503 waiting for Postgres at ${url.host}: the database system is starting up`,
      'it says what it waits for',
    );
    recovering = false;
    await eventually(async () => (await service.readyz()) === '200 ready', 'it serves');
    expect(service.said).not.toMatch(/\n\s+at .*:\d+:\d+/);
    await service.stop();
    for (const socket of sockets) socket.destroy();
    line.close();
  });
});

/** What a server says that replays its log (57P03). */
const fields = ['SFATAL', 'VFATAL', 'C57P03', 'Mthe database system is starting up'];
const body = Buffer.from(`${fields.join('\0')}\0\0`);
const length = Buffer.alloc(4);
length.writeInt32BE(body.length + 4);
const recoveryMessage = Buffer.concat([Buffer.from('E'), length, body]);
