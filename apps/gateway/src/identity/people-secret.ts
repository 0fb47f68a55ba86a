import type { Database } from '@posthorn/database';
import { ownSecret, type Secrets } from '@posthorn/platform';

/**
 * Signs sessions and encrypts second factors. It is random and sealed in the database, so changing the key of
 * the installation does not sign people out.
 */
export class PeopleSecret {
  constructor(readonly value: string) {}

  static async open(database: Database, secrets: Secrets): Promise<PeopleSecret> {
    return new PeopleSecret(await ownSecret(database, secrets, 'auth_secrets'));
  }
}
