import { randomBytes } from 'node:crypto';
import type { Database } from '@posthorn/database';
import { ConfigError, UnreadableSecret, type SecretPlace, type Secrets } from '@posthorn/platform';

const place: SecretPlace = { table: 'auth_secrets', projectId: null, id: '00000000-0000-0000-0000-000000000001' };

/**
 * What sessions are signed with and second factors are sealed with. It is random and lies sealed in the database, so that a
 * change of the installation's key changes nothing for people.
 */
export class PeopleSecret {
  constructor(readonly value: string) {}

  /** The first gateway of an installation makes it. */
  static async open(database: Database, secrets: Secrets): Promise<PeopleSecret> {
    const sealed = secrets.seal(randomBytes(32).toString('base64url'), place);
    await database.query(`INSERT INTO auth_secrets (id, sealed) VALUES ($1, $2) ON CONFLICT DO NOTHING`, [place.id, sealed]);
    const [row] = await database.query<{ sealed: string }>(`SELECT sealed FROM auth_secrets WHERE id = $1`, [place.id]);
    return new PeopleSecret(opened(row!.sealed, secrets));
  }
}

function opened(sealed: string, secrets: Secrets): string {
  try {
    return secrets.open(sealed, place);
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    throw new ConfigError([
      'POSTHORN_SECRET_KEY is not the one that this database was sealed with: name the old one behind it, after a comma',
    ]);
  }
}
