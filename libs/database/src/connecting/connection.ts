import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import type { ClientConfig } from 'pg';
import { RefusedDatabase } from './refused-database.js';

/** Files of the connection to Postgres; each is read again for every new connection, so that it may be renewed. */
export interface DatabaseTls {
  caFile?: string;
  certFile?: string;
  keyFile?: string;
}

/** How to connect, and nothing that a pooler would refuse or drop: settings are at the role (roles.ts). */
export type Connection = Pick<ClientConfig, 'connectionString' | 'ssl'> & { connectionString: string };

const modes = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
type Mode = (typeof modes)[number];

/** The words of libpq, of which `allow` and `prefer` are left out: whoever stands between could undo the encryption. */
export function connectionTo(url: string, tls: DatabaseTls = {}): Connection {
  const target = new URL(url);
  const named = target.searchParams.get('sslmode');
  const mode =
    modes.find((each) => each === named) ?? (named ? null : tls.caFile ? 'verify-full' : 'disable');
  if (mode === null)
    throw new RefusedDatabase(
      `sslmode=${named} is not one of ${modes.join(', ')}: change it in the URL of the database`,
    );
  const misplaced = ['sslrootcert', 'sslcert', 'sslkey'].find((name) => target.searchParams.has(name));
  if (misplaced)
    throw new RefusedDatabase(
      `${misplaced} in the URL of a database is not read: set DATABASE_CA_FILE, DATABASE_CERT_FILE and DATABASE_KEY_FILE`,
    );
  target.searchParams.delete('sslmode');
  return {
    connectionString: target.toString(),
    ssl: mode === 'disable' ? false : encryption(mode, target.hostname, tls),
  };
}

function encryption(mode: Mode, host: string, { caFile, certFile, keyFile }: DatabaseTls): ConnectionOptions {
  const options: ConnectionOptions = {
    // Without a name of its own the driver would compare the certificate of an address with "localhost".
    host: host.replace(/^\[(.+)\]$/, '$1'),
    rejectUnauthorized: mode !== 'require' || caFile !== undefined,
    ...(mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  };
  for (const [member, file] of Object.entries({ ca: caFile, cert: certFile, key: keyFile }))
    if (file !== undefined) define(options, member, file);
  return options;
}

/** Read again for each connection. One that is replaced at this moment is taken as it was: the driver has nobody to tell. */
function define(options: ConnectionOptions, member: string, file: string): void {
  let content = '';
  const read = () => (content = readFileSync(file, 'utf8'));
  try {
    read();
  } catch (error) {
    throw new RefusedDatabase(
      `${file} cannot be read (${(error as Error).message}): check DATABASE_CA_FILE, DATABASE_CERT_FILE and DATABASE_KEY_FILE`,
    );
  }
  const get = () => {
    try {
      return read();
    } catch {
      return content;
    }
  };
  Object.defineProperty(options, member, { get, enumerable: true, configurable: true });
}

const untrusted =
  /^(SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_|CERT_|ERR_TLS_|ERR_SSL_|ERR_OSSL_)|does not support SSL|no pg_hba.conf entry|requires a valid client certificate/;

/** One line for whoever configured the connection, where it was refused for its encryption; else null. */
export function tlsProblem(error: unknown, url: string): string | null {
  const { code = '', message = '' } = (error ?? {}) as { code?: string; message?: string };
  if (!untrusted.test(code) && !untrusted.test(message)) return null;
  return `no trusted connection to Postgres at ${new URL(url).host} (${message}): check sslmode in its URL, DATABASE_CA_FILE, DATABASE_CERT_FILE and DATABASE_KEY_FILE`;
}
