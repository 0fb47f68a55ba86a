import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { testCertificate, testKey } from '@posthorn/testing';
import pg from 'pg';
import { openDatabase } from '../data-source.js';
import { provisionDatabase } from '../provision.js';
import { bareParts } from '../testing/bare-parts.js';
import { startOwnServer, type OwnServer } from '../testing/own-server.js';
import { tlsProblem, type DatabaseTls } from './connection.js';

const secretKey = 'a-secret-that-only-the-tests-know-0123456789';
let own: OwnServer;
let url: string;
let files: { folder: string; ca: string; other: string };

beforeAll(async () => {
  own = await startOwnServer({ listen_addresses: '127.0.0.1,127.0.0.2' });
  url = await provisionDatabase({ adminUrl: own.server.url, service: 'tls', secretKey });
  const data = join(own.root, 'primary');
  for (const [name, content] of Object.entries({ 'server.crt': testCertificate, 'server.key': testKey })) {
    writeFileSync(join(data, name), content, { mode: 0o600 });
    chownSync(join(data, name), statSync(data).uid, statSync(data).gid);
  }
  const admin = new pg.Client({ connectionString: own.server.url });
  await admin.connect();
  await admin.query(`ALTER SYSTEM SET ssl = on`);
  await admin.query(`SELECT pg_reload_conf()`);
  await admin.end();
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-tls-'));
  chmodSync(folder, 0o755);
  files = { folder, ca: join(folder, 'ca.pem'), other: join(folder, 'other.pem') };
  writeFileSync(files.ca, testCertificate);
  writeFileSync(files.other, rootCertificates[0]!);
});
afterAll(async () => {
  await own.stop();
  rmSync(files.folder, { recursive: true });
});

/** Whether the connection is encrypted, or what is wrong in one line. */
async function connected(
  mode: string | null,
  tls: DatabaseTls,
  host = '127.0.0.1',
): Promise<boolean | string> {
  const target = new URL(url);
  target.hostname = host;
  if (mode) target.searchParams.set('sslmode', mode);
  try {
    const database = await openDatabase({ url: target.href, name: 'tls', poolSize: 2, ...bareParts, tls });
    const encrypted = `SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`;
    const [row] = await database.query<{ ssl: boolean }>(encrypted);
    const [hot] = await database.prepared<{ ssl: boolean }>({ name: 'tls', sql: encrypted, parameters: [] });
    await database.close();
    return row!.ssl && hot!.ssl;
  } catch (error) {
    return tlsProblem(error, target.href) ?? (error as Error).message;
  }
}

it.each([
  ['nothing', null, false],
  ['disable', 'disable', false],
  ['require, which looks at no certificate', 'require', true],
])('is encrypted as the URL says: %s', async (_, mode, isEncrypted) => {
  expect(await connected(mode, {})).toBe(isEncrypted);
});

it('trusts a server by its authority, and by its name where the name counts', async () => {
  const tls = { caFile: files.ca };
  expect(await connected(null, tls)).toBe(true);
  expect(await connected('verify-full', tls)).toBe(true);
  expect(await connected('verify-ca', tls, '127.0.0.2')).toBe(true);
  expect(await connected('verify-full', tls, '127.0.0.2')).toMatch(
    /^no trusted connection to Postgres at 127\.0\.0\.2:\d+ \(.*altnames.*\): check sslmode in its URL, DATABASE_CA_FILE/,
  );
});

it.each(['require', 'verify-ca', 'verify-full'])(
  'refuses a server of another authority: %s',
  async (mode) => {
    const refused = await connected(mode, { caFile: files.other });
    expect(refused).toMatch(/^no trusted connection to Postgres at .*check sslmode/);
    expect(String(refused).split('\n')).toHaveLength(1);
  },
);

it('refuses a mode that promises nothing, and a file that is not there', async () => {
  expect(await connected('prefer', {})).toBe(
    'sslmode=prefer is not one of disable, require, verify-ca, verify-full: change it in the URL of the database',
  );
  expect(await connected('verify-full', { caFile: join(files.folder, 'none.pem') })).toMatch(
    /none\.pem cannot be read .*check DATABASE_CA_FILE/,
  );
});

it('reads its files again for the next connection', async () => {
  const changing = join(files.folder, 'changing.pem');
  writeFileSync(changing, testCertificate);
  const target = new URL(url);
  const database = await openDatabase({
    url: target.href,
    name: 'tls',
    poolSize: 2,
    ...bareParts,
    tls: { caFile: changing },
  });
  writeFileSync(changing, rootCertificates[0]!);
  await database.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
  const error: unknown = await database.query('SELECT 1').catch((failure: unknown) => failure);
  expect(tlsProblem(error, url)).not.toBeNull();
  writeFileSync(changing, testCertificate);
  expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await database.close();
});
