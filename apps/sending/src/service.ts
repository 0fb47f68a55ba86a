import { startService, type RunningService, type ServiceParts, type StartOptions } from '@posthorn/platform';
import { SendingConfig } from './config.js';
import { entities, migrations } from './data-source.js';
import { partitionPlans } from './retention/partition-plans.js';
import { SendingModule } from './sending.module.js';

export const sending: ServiceParts<SendingConfig> = {
  name: 'sending',
  config: SendingConfig,
  module: SendingModule,
  entities,
  migrations,
  partitions: partitionPlans,
};

export const startSending = (options: StartOptions): Promise<RunningService> =>
  startService(sending, options);
