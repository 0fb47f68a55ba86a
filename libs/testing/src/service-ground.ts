import type { ServiceName } from '@posthorn/contracts';
import { openDatabase, type Database, type DatabaseOptions } from '@posthorn/database';
import { Bus, BusConnection } from '@posthorn/messaging';
import { DatabaseLine } from './database-line.js';
import { cloneDatabase, startTestNats, testSecret, type TestNats } from './test-servers.js';

/** What a service stands on in its suite: a database and a NATS of its own, and the suite's own way to both. */
export interface ServiceGround {
  /** What the service starts with. */
  environment: Record<string, string>;
  /** The service's way to its database. */
  line: DatabaseLine;
  nats: TestNats;
  database: Database;
  connection: BusConnection;
  bus: Bus;
  /** After the service has stopped. */
  close(): Promise<void>;
}

export async function openServiceGround(
  service: ServiceName,
  parts: Pick<DatabaseOptions, 'entities' | 'migrations'>,
): Promise<ServiceGround> {
  const [clone, nats] = await Promise.all([cloneDatabase(service, parts), startTestNats()]);
  const line = await DatabaseLine.open(clone.url);
  const database = await openDatabase({ url: clone.url, name: 'suite', poolSize: 4, ...parts });
  const connection = await BusConnection.open({ url: nats.url, name: 'suite' });
  return {
    environment: {
      [`${service.toUpperCase()}_DATABASE_URL`]: line.url,
      NATS_URL: nats.url,
      POSTHORN_SECRET_KEY: testSecret,
      LOG_LEVEL: 'silent',
    },
    line,
    nats,
    database,
    connection,
    bus: new Bus(connection),
    close: async () => {
      await connection.close();
      await database.close();
      await line.close();
      await Promise.all([clone.drop(), nats.stop()]);
    },
  };
}
