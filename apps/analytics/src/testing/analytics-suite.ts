import { serviceCaller, type Caller } from '@posthorn/contracts';
import { newId, type Database } from '@posthorn/database';
import type { Bus } from '@posthorn/messaging';
import type { RunningService } from '@posthorn/platform';
import { FactSource, openServiceGround } from '@posthorn/testing';
import { entities, migrations } from '../data-source.js';
import { startAnalytics } from '../service.js';

/** The analytics service as it runs, on a database and a NATS of its own, beside a sending service that only tells facts. */
export interface AnalyticsSuite {
  natsUrl: string;
  bus: Bus;
  database: Database;
  sending: FactSource;
  buildProject(): { caller: Caller; projectId: string };
  /** One more of the same service, until the suite stops. */
  startReplica(): Promise<void>;
  stop(): Promise<void>;
}

export async function startAnalyticsSuite(): Promise<AnalyticsSuite> {
  const { environment, nats, database, bus, connection, close } = await openServiceGround('analytics', { entities, migrations });
  const sending = await FactSource.start(connection);
  const replicas: RunningService[] = [await startAnalytics({ environment, processMetrics: false })];
  return {
    natsUrl: nats.url,
    bus,
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
      await close();
    },
  };
}
