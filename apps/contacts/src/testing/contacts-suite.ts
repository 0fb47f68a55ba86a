import type { RunningService } from '@posthorn/platform';
import { FactSource, openServiceGround, type ServiceGround } from '@posthorn/testing';
import { entities, migrations } from '../data-source.js';
import { startContacts } from '../service.js';

/** The contacts service as it runs, on a database and a NATS of its own, beside a sending service that only tells facts. */
export interface ContactsSuite extends Pick<ServiceGround, 'bus' | 'database' | 'environment' | 'buildProject' | 'factsOf'> {
  service: RunningService;
  sending: FactSource;
  stop(): Promise<void>;
}

export async function startContactsSuite(): Promise<ContactsSuite> {
  const ground = await openServiceGround('contacts', { entities, migrations });
  const sending = await FactSource.start(ground.connection);
  const service = await ground.carry(startContacts({ environment: ground.environment, processMetrics: false }));
  return {
    ...ground,
    service,
    sending,
    stop: async () => {
      await service.stop();
      await sending.stop();
      await ground.close();
    },
  };
}
