import { serviceNames } from '@posthorn/contracts';
import { provisionAt } from '@posthorn/database';
import { ownUrl, readConfig, runOnce } from '@posthorn/platform';
import { ProvisionConfig } from './config.js';

/** Creates the databases and accounts that the services are configured with, so that no service holds an account that may do so. */
await runOnce(async (environment) => {
  const { databaseUrl } = readConfig(ProvisionConfig, environment);
  const admin = new URL(databaseUrl);
  for (const service of serviceNames) {
    const url = ownUrl('DATABASE', service, { environment });
    if (!url) continue;
    // A database on another server is somebody else's to create.
    const { host, pathname } = new URL(url);
    const isHere = host === admin.host;
    if (isHere) await provisionAt(databaseUrl, url);
    console.log(
      `${service}: ${pathname.slice(1)} is ${isHere ? 'ready' : 'on another server, and left as it is'}`,
    );
  }
});
