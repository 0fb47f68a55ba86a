import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Database } from '@posthorn/database';
import { ownSecret } from './own-secret.js';
import type { Secrets } from './sealing.js';

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
