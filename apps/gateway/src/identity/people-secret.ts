import type { Database } from '@posthorn/database';
import { ownSecret, type Secrets } from '@posthorn/platform';

/**
 * What sessions are signed with and second factors are sealed with. It is random and lies sealed in the database, so that a
 * change of the installation's key changes nothing for people.
 */
export class PeopleSecret {
  constructor(readonly value: string) {}

  static async open(database: Database, secrets: Secrets): Promise<PeopleSecret> {
    return new PeopleSecret(await ownSecret(database, secrets, 'auth_secrets'));
  }
}
