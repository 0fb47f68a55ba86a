import { openServiceFixture, type ServiceFixture } from '@posthorn/testing';
import { entities, migrations } from '../data-source.js';
import { startWorkflows } from '../service.js';

/** The workflows service with a database and a NATS server of its own. */
export interface WorkflowsSuite extends Pick<
  ServiceFixture,
  'bus' | 'database' | 'environment' | 'buildProject' | 'eventsOf'
> {
  stop(): Promise<void>;
}

export async function startWorkflowsSuite(): Promise<WorkflowsSuite> {
  const fixture = await openServiceFixture('workflows', { entities, migrations });
  const service = await fixture.carry(
    startWorkflows({ environment: fixture.environment, processMetrics: false }),
  );
  return {
    ...fixture,
    stop: async () => {
      await service.stop();
      await fixture.close();
    },
  };
}
