import { createHmac } from 'node:crypto';
import type { Database } from '@posthorn/database';
import { ownSecret, type Secrets } from '@posthorn/platform';

/** Reserved for names that nobody has (RFC 2606): whatever stands here is an address in its shape, and nobody's. */
const erasedDomain = 'erased.invalid';
/** Of an address that is kept as its hash; partial indexes say the same. */
export const isErasedSql = (column: string): string => `${column} LIKE '%@${erasedDomain}'`;
export const isErased = (email: string): boolean => email.endsWith(`@${erasedDomain}`);

const hashDigits = 40;

/**
 * What stands in place of an address that was erased: the same for the same address of a project as long as the installation
 * lives, whatever becomes of its key, and told by nobody who has not got the database's own secret.
 */
export class AddressHashes {
  constructor(private readonly secret: string) {}

  static async open(database: Database, secrets: Secrets): Promise<AddressHashes> {
    return new AddressHashes(await ownSecret(database, secrets, 'erasure_secrets'));
  }

  of(projectId: string, email: string): string {
    const digest = createHmac('sha256', this.secret).update(projectId).update(email).digest('hex');
    return `${digest.slice(0, hashDigits)}@${erasedDomain}`;
  }
}
