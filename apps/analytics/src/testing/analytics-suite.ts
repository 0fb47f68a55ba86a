import { serviceCaller, type Caller } from '@posthorn/contracts';
import { newId, openDatabase, type Database } from '@posthorn/database';
import { Bus, BusConnection } from '@posthorn/messaging';
import type { RunningService } from '@posthorn/platform';
import { cloneDatabase, startTestNats, testSecret, type TestDatabase, type TestNats } from '@posthorn/testing';
import { entities, migrations } from '../data-source.js';
import { startAnalytics } from '../service.js';
import { FactSource } from './fact-source.js';

/** The analytics service as it runs, on a database and a NATS of its own, beside a sending service that only tells facts. */
export interface AnalyticsSuite {
  bus: Bus;
  database: Database;
  sending: FactSource;
  buildProject(): { caller: Caller; projectId: string };
  /** One more of the same service, until the suite stops. */
  startReplica(): Promise<void>;
  stop(): Promise<void>;
}

export async function startAnalyticsSuite(): Promise<AnalyticsSuite> {
  const [clone, nats]: [TestDatabase, TestNats] = await Promise.all([
    cloneDatabase('analytics', { entities, migrations }),
    startTestNats(),
  ]);
  const environment = {
    ANALYTICS_DATABASE_URL: clone.url,
    NATS_URL: nats.url,
    POSTHORN_SECRET_KEY: testSecret,
    LOG_LEVEL: 'silent',
  };
  const database = await openDatabase({ url: clone.url, name: 'suite', entities, migrations, poolSize: 4 });
  const connection = await BusConnection.open({ url: nats.url, name: 'suite' });
  const sending = await FactSource.start(connection);
  const replicas: RunningService[] = [await startAnalytics({ environment, processMetrics: false })];
  return {
    bus: new Bus(connection),
    database,
    sending,
    buildProject: () => {
      const projectId = newId();
      return { projectId, caller: serviceCaller('suite', projectId) };
    },
    startReplica: async () => {
      replicas.push(await startAnalytics({ environment, processMetrics: false }));
    },
    stop: async () => {
      await Promise.all(replicas.map((replica) => replica.stop()));
      await sending.stop();
      await connection.close();
      await database.source.destroy();
      await Promise.all([clone.drop(), nats.stop()]);
    },
  };
}
