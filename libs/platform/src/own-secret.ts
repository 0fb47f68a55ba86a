import { randomBytes, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Database } from '@posthorn/database';
import { ConfigError } from './config.js';
import { UnreadableSecret, type Secrets } from './sealing.js';

const id = '00000000-0000-0000-0000-000000000001';

/** Sealed in the database by the first process; survives rotation of the installation's key. */
export async function ownSecret(database: Database, secrets: Secrets, table: string): Promise<string> {
  const location = { table, projectId: null, id };
  const fresh = secrets.seal(randomBytes(32).toString('base64url'), location);
  await database.query(`INSERT INTO ${table} (id, sealed) VALUES ($1, $2) ON CONFLICT DO NOTHING`, [
    id,
    fresh,
  ]);
  const [row] = await database.query<{ sealed: string }>(`SELECT sealed FROM ${table} WHERE id = $1`, [id]);
  try {
    return secrets.open(row!.sealed, location);
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    throw new ConfigError([
      'POSTHORN_SECRET_KEY is not the key of this database: append the old key after a comma',
    ]);
  }
}

/** Survives key rotation; without `erasure_secrets`, addresses cannot be found by trying all of them. */
export class AddressHasher {
  private readonly key: KeyObject;

  constructor(secret: string) {
    this.key = createSecretKey(secret, 'utf8');
  }

  static async open<Hasher>(
    this: new (secret: string) => Hasher,
    database: Database,
    secrets: Secrets,
  ): Promise<Hasher> {
    return new this(await ownSecret(database, secrets, 'erasure_secrets'));
  }

  hash(projectId: string, email: string): string {
    return createHmac('sha256', this.key).update(projectId).update(email).digest('hex');
  }
}
