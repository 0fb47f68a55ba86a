import { newId, openDatabase, type Database } from '@posthorn/database';
import { BusConnection, WakeUps } from '@posthorn/messaging';
import { Metrics, Tracing } from '@posthorn/telemetry';
import { cloneDatabase, startTestNats, type TestDatabase, type TestNats } from '@posthorn/testing';
import type { QueryRunner } from 'typeorm';
import { workEntities } from '../work-item.entity.js';
import { createWorkTables } from '../work-items.migration.js';
import { WorkQueue } from '../work-queue.js';
import { WorkRunner } from '../work-runner.js';

class CreateWork1700000000000 {
  up = async (runner: QueryRunner): Promise<void> => {
    await runner.query('CREATE TABLE outbox (id uuid PRIMARY KEY) PARTITION BY RANGE (id)');
    await runner.query('CREATE TABLE effects (item text NOT NULL, project_id uuid, by text NOT NULL DEFAULT current_setting(\'application_name\'))');
    await createWorkTables(runner);
  };
  down = async (): Promise<void> => undefined;
}

export const workParts = { entities: workEntities, migrations: [CreateWork1700000000000] };

/** One process of a service that has work: a database pool, a way to NATS, a queue and a runner. */
export interface WorkProcess {
  database: Database;
  queue: WorkQueue;
  runner: WorkRunner;
  start(): void;
  stop(): Promise<void>;
}

export async function openWorkProcess(databaseUrl: string, natsUrl: string, { leaseMs = 2_000 } = {}): Promise<WorkProcess> {
  const database = await openDatabase({ url: databaseUrl, name: `work-${newId()}`, poolSize: 6, ...workParts });
  const connection = await BusConnection.open({ url: natsUrl, name: 'work' });
  const wakeUps = new WakeUps(connection, 'contacts');
  const runner = new WorkRunner({ database, wakeUps, metrics: new Metrics('work'), tracing: new Tracing(), leaseMs });
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

  async process(options: { leaseMs?: number } = {}): Promise<WorkProcess> {
    const process = await openWorkProcess(this.clone.url, this.nats.url, options);
    this.processes.push(process);
    return process;
  }

  /** Ends the processes of one test. */
  async stopAll(): Promise<void> {
    await Promise.all(this.processes.splice(0).map((process) => process.stop()));
  }

  async close(): Promise<void> {
    await this.stopAll();
    await Promise.all([this.clone.drop(), this.nats.stop()]);
  }
}
