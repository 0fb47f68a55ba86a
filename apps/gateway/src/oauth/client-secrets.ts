import type { Secrets } from '@posthorn/platform';
import { sharedPlaceId } from '../secrets/sealed-tables.js';

export interface ClientSecrets {
  encrypt(secret: string): Promise<string>;
  decrypt(sealed: string): Promise<string>;
}

/** The library does not tell which row a secret belongs to, so the sealed secret is bound only to the table. */
export function clientSecrets(secrets: Secrets): ClientSecrets {
  const location = { table: 'oauth_clients', projectId: null, id: sharedPlaceId };
  return {
    encrypt: (secret) => Promise.resolve(secrets.seal(secret, location)),
    decrypt: (sealed) => Promise.resolve(secrets.open(sealed, location)),
  };
}
