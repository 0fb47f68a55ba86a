import { startService, type RunningService, type ServiceParts, type StartOptions } from '@posthorn/platform';
import { CampaignsServiceModule } from './campaigns.module.js';
import { CampaignsConfig } from './config.js';
import { entities, migrations } from './data-source.js';

const campaigns: ServiceParts<CampaignsConfig> = {
  name: 'campaigns',
  config: CampaignsConfig,
  module: CampaignsServiceModule,
  entities,
  migrations,
};

export const startCampaigns = (options: StartOptions): Promise<RunningService> =>
  startService(campaigns, options);
