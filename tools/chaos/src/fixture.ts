import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  chooseQuietPort,
  startNats,
  startPostgres,
  type NatsServer,
  type PostgresServer,
} from '@posthorn/dev';
import { NatsCluster } from '@posthorn/testing';

const here = dirname(fileURLToPath(import.meta.url));
const restartTries = 40;
const restartPauseMs = 250;

/** When a server was away, in monotonic milliseconds of the run. */
export interface Outage {
  server: 'postgres' | 'nats' | 'smtp';
  from: number;
  /** It is being started again: from now on it may answer. */
  returning: number;
  to: number;
}

/** That of the fixture, or that of a suite that brings its own. */
export type RunningPostgres = Pick<PostgresServer, 'url' | 'port' | 'pid' | 'stop'>;

interface Options {
  keepsBytes: boolean;
  /** Three NATS servers instead of one. */
  clustered?: boolean;
  postgres?: RunningPostgres | undefined;
}

/** The servers that the product stands on; each can crash and comes back at the same place. */
export class Fixture {
  readonly outages: Outage[] = [];
  private sink: ChildProcess | null = null;

  private constructor(
    private readonly directory: string,
    private postgres: RunningPostgres,
    private nats: NatsServer | NatsCluster,
    private readonly sinkPort: number,
    private readonly keepsBytes: boolean,
  ) {}

  static async start(
    directory: string,
    { keepsBytes, clustered = false, postgres: given }: Options,
  ): Promise<Fixture> {
    const settings = { max_connections: '300' };
    const postgres = given ?? (await startPostgres({ dataDirectory: join(directory, 'postgres'), settings }));
    const nats = clustered
      ? await NatsCluster.start()
      : await startNats({ dataDirectory: join(directory, 'nats'), binDirectory: join('.posthorn', 'bin') });
    const fixture = new Fixture(directory, postgres, nats, await chooseQuietPort(), keepsBytes);
    await fixture.startSink();
    return fixture;
  }

  get databaseUrl(): string {
    return this.postgres.url;
  }

  get natsUrl(): string {
    return this.nats.url;
  }

  get smtpUrl(): string {
    return `smtp://127.0.0.1:${this.sinkPort}`;
  }

  get sinkLedger(): string {
    return join(this.directory, 'sink.jsonl');
  }

  /** The postmaster is killed; whatever was not on disk is gone. */
  async crashPostgres(downMs: number): Promise<void> {
    const { port } = this.postgres;
    await this.away('postgres', async (returning) => {
      process.kill(this.postgres.pid, 'SIGKILL');
      await delay(downMs);
      returning();
      const settings = { max_connections: '300' };
      this.postgres = await untilStarted(() =>
        startPostgres({ dataDirectory: join(this.directory, 'postgres'), port, settings }),
      );
    });
  }

  get cluster(): NatsCluster {
    if (this.nats instanceof NatsCluster) return this.nats;
    throw new Error('this run has one NATS server');
  }

  async killNats(downMs: number, { wipe }: { wipe: boolean }): Promise<void> {
    if (this.nats instanceof NatsCluster) throw new Error('a cluster is struck by its nodes');
    const { port, pid } = this.nats;
    await this.away('nats', async (returning) => {
      process.kill(pid, 'SIGKILL');
      await delay(downMs);
      returning();
      if (wipe) rmSync(join(this.directory, 'nats', 'jetstream'), { recursive: true, force: true });
      this.nats = await untilStarted(() =>
        startNats({
          dataDirectory: join(this.directory, 'nats'),
          binDirectory: join('.posthorn', 'bin'),
          port,
        }),
      );
    });
  }

  async killSink(downMs: number): Promise<void> {
    await this.away('smtp', async () => {
      const ended = once(this.sink!, 'exit');
      this.sink!.kill('SIGKILL');
      await ended;
      await delay(downMs);
      await this.startSink();
    });
  }

  /** The mail server hangs up on everybody and greets with 421 for a while. */
  async refuseAtSink(downMs: number): Promise<void> {
    await this.away('smtp', async () => {
      this.sink!.send(downMs / 1_000);
      await delay(downMs);
    });
  }

  async stop(): Promise<void> {
    this.sink?.kill('SIGKILL');
    await this.nats.stop();
    await this.postgres.stop();
  }

  private async startSink(): Promise<void> {
    const sink = fork(join(here, 'sink-process.js'), [
      String(this.sinkPort),
      this.sinkLedger,
      this.keepsBytes ? 'bytes' : '',
    ]);
    await once(sink, 'message');
    this.sink = sink;
  }

  private async away(
    server: Outage['server'],
    work: (returning: () => void) => Promise<void>,
  ): Promise<void> {
    const outage: Outage = { server, from: performance.now(), returning: Infinity, to: Infinity };
    this.outages.push(outage);
    await work(() => (outage.returning = performance.now()));
    outage.to = performance.now();
  }
}

/** What held the place of the killed one (its backends, its lock) goes within a moment. */
async function untilStarted<T>(start: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await start();
    } catch (error) {
      if (tries === restartTries) throw error;
      await delay(restartPauseMs);
    }
  }
}
