import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Database } from '@posthorn/database';
import { ownSecret } from './own-secret.js';
import type { Secrets } from './sealing.js';

/** Survives key rotation; without `erasure_secrets`, addresses cannot be found by trying all of them. */
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

  of(projectId: string, email: string): string {
    return createHmac('sha256', this.key).update(projectId).update(email).digest('hex');
  }
}
