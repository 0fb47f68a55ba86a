import { AddressHashes } from '@posthorn/platform';

/** Reserved for names that nobody has (RFC 2606): whatever stands here is an address in its shape, and nobody's. */
const erasedDomain = 'erased.invalid';
/** Of an address that is kept as its hash; partial indexes say the same. */
export const isErasedSql = (column: string): string => `${column} LIKE '%@${erasedDomain}'`;
export const isErased = (email: string): boolean => email.endsWith(`@${erasedDomain}`);

const hashDigits = 40;

/** What stands in place of an address that was erased: its hash, in the shape of an address. */
export class ErasedNames extends AddressHashes {
  override of(projectId: string, email: string): string {
    return `${super.of(projectId, email).slice(0, hashDigits)}@${erasedDomain}`;
  }
}
