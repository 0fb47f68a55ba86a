import { serviceCaller, type Caller, type FactContract } from '@posthorn/contracts';
import { newId, type Database } from '@posthorn/database';
import type { Bus } from '@posthorn/messaging';
import type { RunningService } from '@posthorn/platform';
import { FactSource, openServiceGround } from '@posthorn/testing';
import { entities, migrations } from '../data-source.js';
import { startContacts } from '../service.js';

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
  const { environment, database, bus, connection, close } = await openServiceGround('contacts', { entities, migrations });
  const sending = await FactSource.start(connection);
  const service = await startContacts({ environment, processMetrics: false });
  return {
    bus,
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
      await close();
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
