import { startService, type RunningService, type ServiceParts, type StartOptions } from '@posthorn/platform';
import { ContactsConfig } from './config.js';
import { ContactsServiceModule } from './contacts.module.js';
import { entities, migrations } from './data-source.js';

export const contacts: ServiceParts<ContactsConfig> = {
  name: 'contacts',
  config: ContactsConfig,
  module: ContactsServiceModule,
  entities,
  migrations,
  partitions: ({ eventsDays }) =>
    ['events', 'contact_history'].map((table) => ({ table, days: 7, retentionDays: eventsDays })),
};

export const startContacts = (options: StartOptions): Promise<RunningService> =>
  startService(contacts, options);
