import {
  ServiceConfig,
  startService,
  type RunningService,
  type ServiceParts,
  type StartOptions,
} from '@posthorn/platform';
import { WorkflowsModule } from './workflows.module.js';
import { entities, migrations } from './data-source.js';

const workflows: ServiceParts<ServiceConfig> = {
  name: 'workflows',
  config: ServiceConfig,
  module: WorkflowsModule,
  entities,
  migrations,
};

export const startWorkflows = (options: StartOptions): Promise<RunningService> =>
  startService(workflows, options);
