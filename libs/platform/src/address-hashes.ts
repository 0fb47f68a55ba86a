import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Database } from '@posthorn/database';
import { ownSecret } from './own-secret.js';
import type { Secrets } from './sealing.js';

/**
 * What is kept of an address that is erased: the same for as long as the installation lives, whatever becomes of its key. Nobody without the
 * database's own secret, in its table `erasure_secrets`, can tell whose it was, also not by trying.
 */
export class AddressHashes {
  private readonly key: KeyObject;

  constructor(secret: string) {
    this.key = createSecretKey(secret, 'utf8');
  }

  static async open<Hashes>(
    this: new (secret: string) => Hashes,
    database: Database,
    secrets: Secrets,
  ): Promise<Hashes> {
    return new this(await ownSecret(database, secrets, 'erasure_secrets'));
  }

  /** In hexadecimal digits. */
  of(projectId: string, email: string): string {
    return createHmac('sha256', this.key).update(projectId).update(email).digest('hex');
  }
}
