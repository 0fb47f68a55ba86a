import { createHmac } from 'node:crypto';
import type { Database } from '@posthorn/database';
import { ownSecret, type Secrets } from '@posthorn/platform';

/**
 * What is kept of an address that is erased: the same for as long as the installation lives, whatever becomes of its key. Nobody without the
 * database's own secret can tell whose it was, also not by trying.
 */
export class AddressHashes {
  constructor(private readonly secret: string) {}

  static async open(database: Database, secrets: Secrets): Promise<AddressHashes> {
    return new AddressHashes(await ownSecret(database, secrets, 'erasure_secrets'));
  }

  /** In hexadecimal digits. */
  of(projectId: string, email: string): string {
    return createHmac('sha256', this.secret).update(projectId).update(email).digest('hex');
  }
}
