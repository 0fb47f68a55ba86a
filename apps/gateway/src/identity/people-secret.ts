import type { Database } from '@posthorn/database';
import { ownSecret, type Secrets } from '@posthorn/platform';

/** Signs sessions and seals second factors; independent of the installation key, so that rotating it does not sign people out. */
export class PeopleSecret {
  constructor(readonly value: string) {}

  static async open(database: Database, secrets: Secrets): Promise<PeopleSecret> {
    return new PeopleSecret(await ownSecret(database, secrets, 'auth_secrets'));
  }
}
