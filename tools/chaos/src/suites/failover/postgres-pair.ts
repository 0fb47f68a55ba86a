import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startPostgres, startStandby, type PostgresServer } from '@posthorn/dev';
import pg from 'pg';
import { MovingAddress } from './moving-address.js';

const lookMs = 50;
const patienceMs = 60_000;

interface Node {
  server: PostgresServer;
  dataDirectory: string;
}

/** A primary and its standby behind one address. */
export class PostgresPair {
  private made = 0;

  private constructor(
    private readonly directory: string,
    private readonly address: MovingAddress,
    private readonly settings: Record<string, string | number>,
    private primary: Node,
    private standby: Node | null,
  ) {}

  static async start(directory: string, { synchronous }: { synchronous: boolean }): Promise<PostgresPair> {
    const settings = {
      max_connections: 300,
      wal_keep_size: '1GB',
      // A failed primary is not waited for.
      wal_receiver_timeout: '5s',
      synchronous_standby_names: synchronous ? '*' : '',
      synchronous_commit: 'on',
    };
    const dataDirectory = join(directory, 'node-0');
    // Alone, it could not commit what makes the first databases.
    const server = await startPostgres({ dataDirectory, settings });
    const pair = new PostgresPair(
      directory,
      await MovingAddress.open(),
      settings,
      { server, dataDirectory },
      null,
    );
    await pair.follow();
    pair.address.lead(server.port);
    return pair;
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.address.port}/postgres`;
  }

  get port(): number {
    return this.address.port;
  }

  get pid(): number {
    return this.primary.server.pid;
  }

  /** The primary is killed, the standby takes its place, and a new one is made. Returns how long the address led nowhere. */
  async failOver(): Promise<number> {
    const began = performance.now();
    const [killed, next] = [this.primary, this.standby!];
    process.kill(killed.server.pid, 'SIGKILL');
    await killed.server.stop();
    this.address.lead(null);
    await asked(next.server.url, 'SELECT pg_promote(true, 60)');
    this.primary = next;
    this.standby = null;
    this.address.lead(next.server.port);
    const awayMs = performance.now() - began;
    rmSync(killed.dataDirectory, { recursive: true, force: true });
    await this.follow();
    return awayMs;
  }

  async stopStandby(): Promise<void> {
    await this.standby!.server.stop();
    await this.untilFollowed(0);
  }

  async startStandby(): Promise<void> {
    rmSync(this.standby!.dataDirectory, { recursive: true, force: true });
    await this.follow();
  }

  async stop(): Promise<void> {
    await this.address.close();
    await this.standby?.server.stop();
    await this.primary.server.stop();
  }

  private async follow(): Promise<void> {
    this.made += 1;
    const dataDirectory = join(this.directory, `node-${this.made}`);
    const { server, dataDirectory: from } = this.primary;
    const primary = { url: server.url, port: server.port, dataDirectory: from };
    this.standby = {
      dataDirectory,
      server: await startStandby({ primary, dataDirectory, settings: this.settings }),
    };
    await this.untilFollowed(1);
  }

  private async untilFollowed(by: number): Promise<void> {
    const state = `SELECT count(*)::int AS count FROM pg_stat_replication WHERE state = 'streaming'`;
    for (const began = performance.now(); performance.now() - began < patienceMs; await delay(lookMs)) {
      const [row] = await asked<{ count: number }>(this.primary.server.url, state);
      if (row!.count === by) return;
    }
    throw new Error(`the primary is not followed by ${by}`);
  }
}

async function asked<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}
