import {
  ServiceConfig,
  startService,
  type RunningService,
  type ServiceParts,
  type StartOptions,
} from '@posthorn/platform';
import { AnalyticsModule } from './analytics.module.js';
import { entities, migrations } from './data-source.js';

export const analytics: ServiceParts<ServiceConfig> = {
  name: 'analytics',
  config: ServiceConfig,
  module: AnalyticsModule,
  entities,
  migrations,
};

export const startAnalytics = (options: StartOptions): Promise<RunningService> =>
  startService(analytics, options);
