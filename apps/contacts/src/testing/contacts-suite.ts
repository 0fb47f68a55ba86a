import { optOuts, type OptOut } from '@posthorn/contracts';
import type { RunningService } from '@posthorn/platform';
import { FactSource, openServiceGround, standIn, type ServiceGround } from '@posthorn/testing';
import { entities, migrations } from '../data-source.js';
import { startContacts } from '../service.js';

/** The contacts service as it runs, on a database and a NATS of its own, beside a sending service that only tells facts and takes opt-outs. */
export interface ContactsSuite extends Pick<ServiceGround, 'bus' | 'connection' | 'database' | 'environment' | 'buildProject' | 'factsOf'> {
  service: RunningService;
  restart(): Promise<void>;
  sending: FactSource;
  /** What sending was told, in order. */
  optOuts: (OptOut & { projectId: string })[];
  /** Sending takes no opt-outs any more. */
  loseSending(): Promise<void>;
  stop(): Promise<void>;
}

export async function startContactsSuite(): Promise<ContactsSuite> {
  const ground = await openServiceGround('contacts', { entities, migrations });
  const sending = await FactSource.start(ground.connection);
  const put: ContactsSuite['optOuts'] = [];
  const leave = await standIn(ground.connection, optOuts.put, async ({ optOuts: told }, { projectId }) => {
    put.push(...told.map((optOut) => ({ ...optOut, projectId })));
    return { put: told.length };
  });
  const service = await ground.carry(startContacts({ environment: ground.environment, processMetrics: false }));
  const suite: ContactsSuite = {
    ...ground,
    service,
    restart: async () => {
      await suite.service.stop();
      suite.service = await startContacts({ environment: ground.environment, processMetrics: false });
    },
    sending,
    optOuts: put,
    loseSending: leave,
    stop: async () => {
      await suite.service.stop();
      await leave();
      await sending.stop();
      await ground.close();
    },
  };
  return suite;
}
