import { serviceNames } from '@posthorn/contracts';
import {
  migrateService,
  provisionServices,
  readArguments,
  readConfig,
  StartError,
  type Migrated,
} from '@posthorn/platform';
import { ProvisionConfig } from '../../../apps/provision/src/config.js';
import { backupJobs } from './backup/backup-jobs.js';
import type { Job } from './job.js';

/** What works on the servers themselves, also where no service runs: not a call to them, as the commands are. */
export const jobs: Readonly<Record<string, Job>> = {
  provision: {
    synopsis: 'provision',
    describe:
      'make the databases and roles that <SERVICE>_DATABASE_URL name, with the account of DATABASE_URL',
    run: async (texts, environment, { print: say }) => {
      readArguments(texts, { help: 'posthorn provision --help' });
      await provisionServices(readConfig(ProvisionConfig, environment), environment, say);
    },
  },
  migrate: {
    synopsis: 'migrate --service …',
    describe:
      'migrate the database of a service, by <SERVICE>_DIRECT_DATABASE_URL; may be killed and repeated',
    run: async (texts, environment, { print: say }) => {
      const { values } = readArguments(texts, { options: ['service'], help: 'posthorn migrate --help' });
      const service = serviceNames.find((each) => each === values['service']);
      if (!service) throw new StartError(`migrate needs --service, one of ${serviceNames.join(', ')}`);
      const parts = (await import(`../../../apps/${service}/src/data-source.js`)) as Migrated;
      await migrateService(service, parts, environment, say);
    },
  },
  ...backupJobs,
};

export const jobOf = (noun = ''): Job | undefined => (Object.hasOwn(jobs, noun) ? jobs[noun] : undefined);
