import { serviceCaller, type Caller, type EventContract, type ServiceName } from '@posthorn/contracts';
import { newId, openDatabase, type Database, type DatabaseOptions } from '@posthorn/database';
import { type Bus, BusConnection, WakeUps } from '@posthorn/messaging';
import { WorkQueue } from '@posthorn/work';
import { DatabaseLine } from './database-line.js';
import { slowBus } from './slow-bus.js';
import { cloneDatabase, startTestNats, testSecret, type TestNats } from './test-servers.js';

/** Resources of a service in its suite: a database and NATS of its own, and connections to both. */
export interface ServiceFixture {
  environment: Record<string, string>;
  /** The service's connection to its database. */
  line: DatabaseLine;
  nats: TestNats;
  database: Database;
  connection: BusConnection;
  bus: Bus;
  queue: WorkQueue;
  buildProject(): { caller: Caller; projectId: string };
  /** Items of all published events of this name in the project, in commit order. */
  eventsOf<Item extends object>(projectId: string, event: EventContract<Item>): Promise<Item[]>;
  /** Starts a service on it; if that fails, everything is released. */
  carry<T>(service: Promise<T>): Promise<T>;
  /** Call it after the service has stopped. */
  close(): Promise<void>;
}

export interface FixtureOptions {
  /** The suite cuts or holds the service's connection to its database. */
  breakable?: boolean;
}

export async function openServiceFixture(
  service: ServiceName,
  parts: Pick<DatabaseOptions, 'entities' | 'migrations'>,
  { breakable = false }: FixtureOptions = {},
): Promise<ServiceFixture> {
  const [clone, nats] = await Promise.all([cloneDatabase(service, parts), startTestNats()]);
  const line = breakable ? await DatabaseLine.open(clone.url) : DatabaseLine.straight(clone.url);
  const database = await openDatabase({
    url: clone.url,
    name: 'suite',
    poolSize: 4,
    connectTimeoutMs: 30_000,
    ...parts,
  });
  const connection = await BusConnection.open({ url: nats.url, name: 'suite' });
  const close = async () => {
    await connection.close();
    await database.close();
    await line.close();
    await Promise.all([clone.drop(), nats.stop()]);
  };
  return {
    environment: {
      [`${service.toUpperCase()}_DATABASE_URL`]: line.url,
      NATS_URL: nats.url,
      POSTHORN_SECRET_KEY: testSecret,
      LOG_LEVEL: 'silent',
      // The processors of a test may be slow and shared; a suite that breaks the connection tests the usual time.
      ...(breakable ? {} : { ANSWER_WITHIN_MS: '8000' }),
    },
    line,
    nats,
    database,
    connection,
    bus: slowBus(connection),
    queue: new WorkQueue(database, new WakeUps(connection, service)),
    buildProject: () => {
      const projectId = newId();
      return { projectId, caller: serviceCaller('suite', projectId) };
    },
    eventsOf: <Item extends object>(projectId: string, event: EventContract<Item>) =>
      published<Item>(database, projectId, event.name),
    carry: (service) => service.catch(async (error: unknown) => (await close(), Promise.reject(error))),
    close,
  };
}

async function published<Item>(database: Database, projectId: string, event: string): Promise<Item[]> {
  const rows = await database.query<{ items: Item[] }>(
    `SELECT items FROM outbox WHERE project_id = $1 AND event_name = $2 ORDER BY id`,
    [projectId, event],
  );
  return rows.flatMap(({ items }) => items);
}
