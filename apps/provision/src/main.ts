import { serviceNames } from '@posthorn/contracts';
import { provisionAt } from '@posthorn/database';
import { ownDatabaseUrls, readConfig, runOnce, tlsOf } from '@posthorn/platform';
import { ProvisionConfig } from './config.js';

/** Creates the databases and accounts that the services are configured with, so that no service holds an account that may do so. */
await runOnce(async (environment) => {
  const config = readConfig(ProvisionConfig, environment);
  const admin = new URL(config.databaseUrl);
  for (const service of serviceNames) {
    const own = ownDatabaseUrls(service, { environment });
    if (!own) continue;
    const report = (line: string) => console.log(`${service}: ${line}`);
    const { host, pathname } = new URL(own.directUrl);
    // A database on another server is somebody else's to create.
    const isHere = host === admin.host;
    if (isHere) await provisionAt(config.databaseUrl, accountOf(own), { tls: tlsOf(config), report });
    report(`${pathname.slice(1)} is ${isHere ? 'ready' : 'on another server, and left as it is'}`);
  }
});

/** The account is that of the first URL; where it lies is said by the direct one. */
function accountOf({ url, directUrl }: { url: string; directUrl: string }): string {
  const account = new URL(directUrl);
  const { username, password } = new URL(url);
  return Object.assign(account, { username, password }).href;
}
