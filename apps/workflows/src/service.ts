import { startService, type RunningService, type ServiceParts, type StartOptions } from '@posthorn/platform';
import { WorkflowsConfig } from './config.js';
import { WorkflowsModule } from './workflows.module.js';
import { entities, migrations } from './data-source.js';

const workflows: ServiceParts<WorkflowsConfig> = {
  name: 'workflows',
  config: WorkflowsConfig,
  module: WorkflowsModule,
  entities,
  migrations,
};

export const startWorkflows = (options: StartOptions): Promise<RunningService> =>
  startService(workflows, options);
