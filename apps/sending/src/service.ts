import { startService, type RunningService, type ServiceParts, type StartOptions } from '@posthorn/platform';
import { SendingConfig } from './config.js';
import { entities, migrations } from './data-source.js';
import { SendingModule } from './sending.module.js';

export const sending: ServiceParts<SendingConfig> = {
  name: 'sending',
  config: SendingConfig,
  module: SendingModule,
  entities,
  migrations,
  partitions: ({ contentsDays, emailsDays }) => [
    { table: 'emails', days: 30, retentionDays: emailsDays, fillPercent: 80 },
    { table: 'email_events', days: 30, retentionDays: emailsDays },
    { table: 'engagements', days: 30, retentionDays: emailsDays },
    { table: 'email_contents', days: 7, retentionDays: contentsDays },
    { table: 'email_attachments', days: 7, retentionDays: contentsDays },
  ],
};

export const startSending = (options: StartOptions): Promise<RunningService> =>
  startService(sending, options);
