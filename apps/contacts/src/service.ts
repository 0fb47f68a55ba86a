import { startService, type RunningService, type ServiceParts, type StartOptions } from '@posthorn/platform';
import { ContactsConfig } from './config.js';
import { ContactsModule } from './contacts.module.js';
import { entities, migrations } from './data-source.js';

export const contacts: ServiceParts<ContactsConfig> = {
  name: 'contacts',
  config: ContactsConfig,
  module: ContactsModule,
  entities,
  migrations,
};

export const startContacts = (options: StartOptions): Promise<RunningService> => startService(contacts, options);
