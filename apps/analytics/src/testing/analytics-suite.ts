import type { RunningService } from '@posthorn/platform';
import { EventPublisher, openServiceFixture, type ServiceFixture } from '@posthorn/testing';
import { entities, migrations } from '../data-source.js';
import { startAnalytics } from '../service.js';

/** The analytics service with a database and a NATS server of its own, and a sending service that only publishes events. */
export interface AnalyticsSuite extends Pick<
  ServiceFixture,
  'bus' | 'connection' | 'database' | 'buildProject'
> {
  natsUrl: string;
  sending: EventPublisher;
  /** One more of the same service, until the suite stops. */
  startReplica(): Promise<void>;
  stop(): Promise<void>;
}

export async function startAnalyticsSuite(): Promise<AnalyticsSuite> {
  const fixture = await openServiceFixture('analytics', { entities, migrations });
  const { environment, connection, nats } = fixture;
  const sending = await EventPublisher.start(connection);
  const replicas: RunningService[] = [
    await fixture.carry(startAnalytics({ environment, processMetrics: false })),
  ];
  return {
    ...fixture,
    natsUrl: nats.url,
    sending,
    startReplica: async () => {
      replicas.push(await startAnalytics({ environment, processMetrics: false }));
    },
    stop: async () => {
      await Promise.all(replicas.map((replica) => replica.stop()));
      await sending.stop();
      await fixture.close();
    },
  };
}
