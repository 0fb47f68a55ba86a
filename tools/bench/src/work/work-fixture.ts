import { openDatabase, provisionDatabase, type Database } from '@posthorn/database';
import { BusConnection, WakeUps } from '@posthorn/messaging';
import { Metrics, Tracing } from '@posthorn/telemetry';
import { WorkQueue, WorkRunner, workTables, type WorkHandler, type WorkKind } from '@posthorn/work';
import { inDatabase } from '../databases.js';
import type { Servers } from '../product.js';

/** A process of a service that has nothing but work. */
interface Worker {
  queue: WorkQueue;
  stop(): Promise<void>;
}

/** A database with the tables of work, and workers on it. */
export class WorkFixture {
  private constructor(
    readonly url: string,
    readonly database: Database,
    private readonly natsUrl: string,
  ) {}

  static async make({ databaseUrl, natsUrl }: Servers, name: string): Promise<WorkFixture> {
    const url = await provisionDatabase({ adminUrl: databaseUrl, service: name, secretKey: 'bench' });
    await inDatabase(url, (client) => client.query(workTables));
    return new WorkFixture(
      url,
      await openDatabase({ url, name, poolSize: 6, entities: [], migrations: [] }),
      natsUrl,
    );
  }

  /** Without a handler it only enqueues. */
  async start<Payload extends object>(
    kind: WorkKind<Payload>,
    handler?: WorkHandler<Payload>,
  ): Promise<Worker> {
    const { database } = this;
    const connection = await BusConnection.open({ url: this.natsUrl, name: 'bench' });
    const wakeUps = new WakeUps(connection, 'contacts');
    const runner = new WorkRunner({
      database,
      wakeUps,
      metrics: new Metrics('bench'),
      tracing: new Tracing(),
      leaseMs: 15_000,
    });
    if (handler) runner.register(kind, handler);
    runner.onApplicationBootstrap();
    const stop = async () => {
      await runner.onModuleDestroy();
      await connection.close();
    };
    return { queue: new WorkQueue(database, wakeUps), stop };
  }

  /** Ready items, evenly of some projects. */
  async fill({ name }: WorkKind, items: number, projects: readonly string[]): Promise<void> {
    await inDatabase(this.url, async (client) => {
      await client.query(
        `INSERT INTO work_items (id, kind, project_id, state, due_at)
         SELECT uuidv7(), $1, ($2::uuid[])[1 + n % $3], 'READY', now() - interval '1 hour' + n * interval '1 millisecond'
         FROM generate_series(0, $4::int - 1) AS n`,
        [name, projects, projects.length, items],
      );
      await client.query('VACUUM (ANALYZE) work_items');
      await client.query('CHECKPOINT');
    });
  }

  close(): Promise<void> {
    return this.database.close();
  }
}
