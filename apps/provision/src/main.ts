import { serviceNames } from '@posthorn/contracts';
import { provisionAt } from '@posthorn/database';
import { readConfig, runOnce } from '@posthorn/platform';
import { ProvisionConfig } from './config.js';

/** Creates the databases and accounts that the services are configured with, so that no service holds an account that may do so. */
await runOnce(async (environment) => {
  const { databaseUrl } = readConfig(ProvisionConfig, environment);
  const admin = new URL(databaseUrl);
  for (const service of serviceNames) {
    const url = environment[`${service.toUpperCase()}_DATABASE_URL`]?.trim();
    if (!url) continue;
    // A database on another server is somebody else's to create.
    if (new URL(url).host === admin.host) await provisionAt(databaseUrl, url);
    const made = new URL(url).host === admin.host ? 'is ready' : 'is on another server, and left as it is';
    console.log(`${service}: ${new URL(url).pathname.slice(1)} ${made}`);
  }
});
