import { baselineOf, newId, openDatabase, type Database } from '@posthorn/database';
import { BusConnection, WakeUps } from '@posthorn/messaging';
import { Metrics, Tracing } from '@posthorn/telemetry';
import {
  cloneDatabase,
  eventually,
  startTestNats,
  type TestDatabase,
  type TestNats,
} from '@posthorn/testing';
import type { WorkItem } from '../queue/claimed-columns.js';
import type { WorkBatch } from '../runner/work-batch.js';
import type { WorkState } from '../queue/work-states.js';
import { workTables } from '../queue/work-items.migration.js';
import type { WorkKind } from '../queue/work-kind.js';
import { WorkQueue } from '../queue/work-queue.js';
import { WorkRunner } from '../runner/work-runner.js';

const effects = `
  CREATE TABLE outbox (id uuid PRIMARY KEY) PARTITION BY RANGE (id);
  CREATE TABLE effects (item text NOT NULL, step int NOT NULL DEFAULT 0, version int NOT NULL DEFAULT 0);
  CREATE TABLE runs (item text NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp());
  CREATE TABLE kills (item text NOT NULL);
  CREATE TABLE deaths (item text NOT NULL);
  CREATE TABLE versions (item text PRIMARY KEY, version int NOT NULL);
`;
const workParts = { entities: [], migrations: [baselineOf('Work', [effects, workTables])] };

export interface WorkProcess {
  database: Database;
  queue: WorkQueue;
  runner: WorkRunner;
  start(): void;
  stop(): Promise<void>;
}

export async function openWorkProcess(
  databaseUrl: string,
  natsUrl: string,
  { leaseMs = 2_000 } = {},
): Promise<WorkProcess> {
  const database = await openDatabase({
    url: databaseUrl,
    name: `work-${newId()}`,
    poolSize: 6,
    connectTimeoutMs: 30_000,
    ...workParts,
  });
  const connection = await BusConnection.open({ url: natsUrl, name: 'work' });
  const wakeUps = new WakeUps(connection, 'contacts');
  const runner = new WorkRunner({
    database,
    wakeUps,
    metrics: new Metrics('work'),
    tracing: new Tracing(),
    leaseMs,
  });
  return {
    database,
    queue: new WorkQueue(database, wakeUps),
    runner,
    start: () => runner.onApplicationBootstrap(),
    stop: async () => {
      await runner.onModuleDestroy();
      await connection.close();
      await database.close();
    },
  };
}

export interface ItemRow {
  state: WorkState;
  payload: object;
  claims: number;
  failures: number;
  error: string | null;
  dueAt: Date;
}

export const rowsOf = ({ database }: WorkProcess, kind: WorkKind): Promise<ItemRow[]> =>
  database.query<ItemRow>(
    `SELECT state, payload, claims, failures, error, due_at AS "dueAt" FROM work_items WHERE kind = $1 ORDER BY id`,
    [kind.name],
  );

export const untilDone = (process: WorkProcess, kind: WorkKind): Promise<unknown> =>
  eventually(async () => (await rowsOf(process, kind)).length === 0, 'everything is done');

/** A database of work and a NATS of its own, and the processes of a test on both. */
export class WorkSuite {
  private readonly processes: WorkProcess[] = [];

  private constructor(
    readonly clone: TestDatabase,
    readonly nats: TestNats,
  ) {}

  static async open(): Promise<WorkSuite> {
    const [clone, nats] = await Promise.all([cloneDatabase('work', workParts), startTestNats()]);
    return new WorkSuite(clone, nats);
  }

  async process({
    url = this.clone.url,
    ...options
  }: { leaseMs?: number; url?: string } = {}): Promise<WorkProcess> {
    const process = await openWorkProcess(url, this.nats.url, options);
    this.processes.push(process);
    return process;
  }

  async startWith<Payload extends object>(
    kind: WorkKind<Payload>,
    run: (batch: WorkBatch<Payload>, process: WorkProcess) => Promise<void>,
    {
      dead,
      ...options
    }: {
      leaseMs?: number;
      url?: string;
      dead?: (item: WorkItem<Payload>, error: string) => Promise<void>;
    } = {},
  ): Promise<WorkProcess> {
    const process = await this.process(options);
    process.runner.register(kind, { run: (batch) => run(batch, process), dead });
    process.start();
    return process;
  }

  async stop(process: WorkProcess): Promise<void> {
    this.processes.splice(this.processes.indexOf(process), 1);
    await process.stop();
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.processes.splice(0).map((process) => process.stop()));
  }

  async close(): Promise<void> {
    await this.stopAll();
    await Promise.all([this.clone.drop(), this.nats.stop()]);
  }
}
