import { serviceCaller, type Caller, type FactContract } from '@posthorn/contracts';
import { newId, openDatabase, type Database } from '@posthorn/database';
import { Bus, BusConnection } from '@posthorn/messaging';
import type { RunningService } from '@posthorn/platform';
import { cloneDatabase, startTestNats, testSecret, type TestDatabase, type TestNats } from '@posthorn/testing';
import { entities, migrations } from '../data-source.js';
import { startContacts } from '../service.js';
import { FactSource } from './fact-source.js';

/** The contacts service as it runs, on a database and a NATS of its own, beside a sending service that only tells facts. */
export interface ContactsSuite {
  bus: Bus;
  database: Database;
  service: RunningService;
  sending: FactSource;
  environment: Record<string, string>;
  buildProject(): { caller: Caller; projectId: string };
  /** The items of all facts of this name that the project has told, in the order of their commits. */
  factsOf<Item extends object>(projectId: string, fact: FactContract<Item>): Promise<Item[]>;
  stop(): Promise<void>;
}

export async function startContactsSuite(): Promise<ContactsSuite> {
  const [clone, nats]: [TestDatabase, TestNats] = await Promise.all([cloneDatabase('contacts', { entities, migrations }), startTestNats()]);
  const environment = {
    CONTACTS_DATABASE_URL: clone.url,
    NATS_URL: nats.url,
    POSTHORN_SECRET_KEY: testSecret,
    LOG_LEVEL: 'silent',
  };
  const database = await openDatabase({ url: clone.url, name: 'suite', entities, migrations, poolSize: 4 });
  const connection = await BusConnection.open({ url: nats.url, name: 'suite' });
  const sending = await FactSource.start(connection);
  const service = await startContacts({ environment, processMetrics: false });
  return {
    bus: new Bus(connection),
    database,
    service,
    sending,
    environment,
    buildProject: () => {
      const projectId = newId();
      return { projectId, caller: serviceCaller('suite', projectId) };
    },
    factsOf: <Item extends object>(projectId: string, fact: FactContract<Item>) => told<Item>(database, projectId, fact.name),
    stop: async () => {
      await service.stop();
      await sending.stop();
      await connection.close();
      await database.source.destroy();
      await Promise.all([clone.drop(), nats.stop()]);
    },
  };
}

async function told<Item>(database: Database, projectId: string, fact: string): Promise<Item[]> {
  const rows = await database.query<{ items: Item[] }>(`SELECT items FROM outbox WHERE project_id = $1 AND fact = $2 ORDER BY id`, [
    projectId,
    fact,
  ]);
  return rows.flatMap(({ items }) => items);
}
