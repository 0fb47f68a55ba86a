import { openServiceGround, type ServiceGround } from '@posthorn/testing';
import { entities, migrations } from '../data-source.js';
import { startWorkflows } from '../service.js';

/** The workflows service as it runs, on a database and a NATS of its own. */
export interface WorkflowsSuite extends Pick<ServiceGround, 'bus' | 'database' | 'environment' | 'buildProject' | 'factsOf'> {
  stop(): Promise<void>;
}

export async function startWorkflowsSuite(): Promise<WorkflowsSuite> {
  const ground = await openServiceGround('workflows', { entities, migrations });
  const service = await ground.carry(startWorkflows({ environment: ground.environment, processMetrics: false }));
  return {
    ...ground,
    stop: async () => {
      await service.stop();
      await ground.close();
    },
  };
}
