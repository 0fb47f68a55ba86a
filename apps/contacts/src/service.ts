import { ServiceConfig, startService, type RunningService, type ServiceParts, type StartOptions } from '@posthorn/platform';
import { ContactsModule } from './contacts.module.js';
import { entities, migrations } from './data-source.js';

export const contacts: ServiceParts<ServiceConfig> = {
  name: 'contacts',
  config: ServiceConfig,
  module: ContactsModule,
  entities,
  migrations,
};

export const startContacts = (options: StartOptions): Promise<RunningService> => startService(contacts, options);
