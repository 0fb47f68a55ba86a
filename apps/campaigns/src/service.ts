import {
  ServiceConfig,
  startService,
  type RunningService,
  type ServiceParts,
  type StartOptions,
} from '@posthorn/platform';
import { CampaignsModule } from './campaigns.module.js';
import { entities, migrations } from './data-source.js';

const campaigns: ServiceParts<ServiceConfig> = {
  name: 'campaigns',
  config: ServiceConfig,
  module: CampaignsModule,
  entities,
  migrations,
};

export const startCampaigns = (options: StartOptions): Promise<RunningService> =>
  startService(campaigns, options);
