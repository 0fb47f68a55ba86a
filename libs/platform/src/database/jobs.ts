import { serviceNames, type ServiceName } from '@posthorn/contracts';
import { migrate, openDatabase, provisionAt, type DatabaseOptions } from '@posthorn/database';
import { readConfig, StartError, type Environment } from '../config.js';
import { DatabaseConfig, tlsOf, type DatabaseFiles } from './database-config.js';
import { explained, ownDatabaseUrls, ownVariable, whileAway } from './service-database.js';

type Say = (line: string) => void;

interface ProvisionSettings extends DatabaseFiles {
  databaseUrl: string;
}

/** Creates the databases and accounts that the services are configured with, so that no service holds an account that may do so. */
export async function provisionServices(
  config: ProvisionSettings,
  environment: Environment,
  say: Say,
): Promise<void> {
  const admin = new URL(config.databaseUrl);
  const tls = tlsOf(config);
  for (const service of serviceNames) {
    const own = ownDatabaseUrls(service, { environment });
    if (!own) continue;
    const report = (line: string) => say(`${service}: ${line}`);
    const { host, pathname } = new URL(own.directUrl);
    // A database on another server is somebody else's to create.
    const isHere = host === admin.host;
    if (isHere)
      await patient(config.databaseUrl, report, () =>
        provisionAt(config.databaseUrl, accountOf(own), { tls, report }),
      );
    report(`${pathname.slice(1)} is ${isHere ? 'ready' : 'on another server, and left as it is'}`);
  }
}

/** The account is that of the first URL; where its database lies, the direct one says. */
function accountOf({ url, directUrl }: { url: string; directUrl: string }): string {
  const { username, password } = new URL(url);
  return Object.assign(new URL(directUrl), { username, password }).href;
}

export type Migrated = Pick<DatabaseOptions, 'entities' | 'migrations'>;

/** Each migration is whole or not made: it may be killed and repeated. Returns how many it made. */
export async function migrateService(
  service: ServiceName,
  { entities, migrations }: Migrated,
  environment: Environment,
  say: Say,
): Promise<number> {
  const config = readConfig(DatabaseConfig, environment);
  const own = ownDatabaseUrls(service, { environment });
  if (!own)
    throw new StartError(
      `set ${ownVariable(service, 'DIRECT_DATABASE')} or ${ownVariable(service, 'DATABASE')} to the database of ${service}`,
    );
  const report = (line: string) => say(`${service}: ${line}`);
  return patient(own.directUrl, report, async () => {
    const database = await openDatabase({
      url: own.directUrl,
      name: `posthorn-${service}-job-${process.pid}`,
      entities,
      migrations,
      poolSize: 2,
      tls: tlsOf(config),
      allowAsyncStandby: config.allowAsyncStandby,
    });
    try {
      const made = await migrate(database, report);
      if (made === 0) report('no migration is pending');
      return made;
    } finally {
      await database.close();
    }
  });
}

async function patient<T>(url: string, report: Say, work: () => Promise<T>): Promise<T> {
  try {
    return await whileAway(new URL(url).host, report, work);
  } catch (error) {
    throw explained(error, url);
  }
}
