import { createHmac } from 'node:crypto';
import pg from 'pg';

export interface ProvisionOptions {
  adminUrl: string;
  service: string;
  secretKey: string;
}

const provisionLock = 7_301_001;

export async function provisionDatabase({ adminUrl, service, secretKey }: ProvisionOptions): Promise<string> {
  const name = `posthorn_${service}`;
  const password = createHmac('sha256', secretKey).update(`database-role:${service}`).digest('base64url');
  const url = serviceUrl(adminUrl, name, password);
  await provisionAt(adminUrl, url);
  return url;
}

/** Creates what is missing of the database and the role that the URL names. Safe to run concurrently. */
export async function provisionAt(adminUrl: string, url: string): Promise<void> {
  const { username, password, pathname } = new URL(url);
  const admin = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 10_000 });
  await admin.connect();
  try {
    await admin.query('SELECT pg_advisory_lock($1)', [provisionLock]);
    await ensureRole(admin, decodeURIComponent(username), decodeURIComponent(password));
    await ensureDatabase(admin, decodeURIComponent(pathname.slice(1)), decodeURIComponent(username));
  } finally {
    await admin.end();
  }
}

async function ensureRole(admin: pg.Client, name: string, password: string): Promise<void> {
  const { rowCount } = await admin.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [name]);
  const verb = rowCount ? 'ALTER' : 'CREATE';
  await admin.query(
    `${verb} ROLE ${admin.escapeIdentifier(name)} LOGIN PASSWORD ${admin.escapeLiteral(password)}`,
  );
  // CREATE DATABASE … OWNER requires membership in the owner.
  await admin.query(`GRANT ${admin.escapeIdentifier(name)} TO CURRENT_USER`);
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
