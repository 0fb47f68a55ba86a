import type { Secrets } from '@posthorn/platform';
import { sharedPlaceId } from '../secrets/sealed-tables.js';

export interface ClientSecrets {
  encrypt(secret: string): Promise<string>;
  decrypt(sealed: string): Promise<string>;
}

/** The library names no row when it stores a client's secret: its envelope is bound to the table alone. */
export function clientSecrets(secrets: Secrets): ClientSecrets {
  const location = { table: 'oauth_clients', projectId: null, id: sharedPlaceId };
  return {
    encrypt: (secret) => Promise.resolve(secrets.seal(secret, location)),
    decrypt: (sealed) => Promise.resolve(secrets.open(sealed, location)),
  };
}
