import { createHmac } from 'node:crypto';
import pg from 'pg';
import { connectionTo, type DatabaseTls } from './connecting/connection.js';
import { hotRoleOf, hotRoleSettings, roleSettings, type RoleSettings } from './connecting/roles.js';
import { underLock } from './connecting/transaction-lock.js';

export interface ProvisionOptions {
  adminUrl: string;
  service: string;
  secretKey: string;
  tls?: DatabaseTls;
  report?: (line: string) => void;
}

const provisionLock = 7_301_001;

/** Returns the URL of the service. */
export async function provisionDatabase({
  adminUrl,
  service,
  secretKey,
  tls,
  report,
}: ProvisionOptions): Promise<string> {
  const name = `posthorn_${service}`;
  const password = createHmac('sha256', secretKey).update(`database-role:${service}`).digest('base64url');
  const url = serviceUrl(adminUrl, name, password);
  await provisionAt(adminUrl, url, { tls, report });
  return url;
}

/** Creates what is missing of the database and both roles of the service that the URL names. Safe to run concurrently, and to kill. */
export async function provisionAt(
  adminUrl: string,
  url: string,
  { tls, report = () => undefined }: Pick<ProvisionOptions, 'tls' | 'report'> = {},
): Promise<void> {
  const { username, password, pathname } = new URL(url);
  const [owner, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
  const connection = connectionTo(adminUrl, tls);
  const lock = {
    key: provisionLock,
    name: 'posthorn-provision',
    other: 'another process provisions',
    report,
  };
  await underLock(connection, lock, async () => {
    const admin = new pg.Client({ ...connection, connectionTimeoutMillis: 10_000 });
    admin.on('error', () => undefined);
    await admin.connect();
    try {
      await admin.query('BEGIN');
      await ensureRole(admin, owner, secret, roleSettings);
      await ensureRole(admin, hotRoleOf(owner), secret, hotRoleSettings);
      const [service, hot] = [owner, hotRoleOf(owner)].map((name) => admin.escapeIdentifier(name));
      // CREATE DATABASE … OWNER requires membership in the owner.
      await admin.query(`GRANT ${service} TO ${hot}; GRANT ${service} TO CURRENT_USER; COMMIT`);
      await ensureDatabase(admin, decodeURIComponent(pathname.slice(1)), owner);
    } finally {
      await admin.end();
    }
  });
}

async function ensureRole(
  admin: pg.Client,
  name: string,
  password: string,
  settings: RoleSettings,
): Promise<void> {
  const { rowCount } = await admin.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [name]);
  const verb = rowCount ? 'ALTER' : 'CREATE';
  const role = admin.escapeIdentifier(name);
  const changes = Object.entries(settings).map(
    ([setting, value]) => `ALTER ROLE ${role} SET ${setting} = ${admin.escapeLiteral(value)}`,
  );
  await admin.query(
    [`${verb} ROLE ${role} LOGIN PASSWORD ${admin.escapeLiteral(password)}`, ...changes].join('; '),
  );
}

async function ensureDatabase(admin: pg.Client, name: string, owner: string): Promise<void> {
  const { rowCount } = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
  const quoted = admin.escapeIdentifier(name);
  if (!rowCount) await admin.query(`CREATE DATABASE ${quoted} OWNER ${admin.escapeIdentifier(owner)}`);
  await admin.query(`REVOKE CONNECT, TEMPORARY ON DATABASE ${quoted} FROM PUBLIC`);
}

function serviceUrl(adminUrl: string, name: string, password: string): string {
  const url = new URL(adminUrl);
  url.username = name;
  url.password = password;
  url.pathname = `/${name}`;
  return url.toString();
}
