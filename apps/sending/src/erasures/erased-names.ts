import { AddressHashes } from '@posthorn/platform';

/** Reserved by RFC 2606, so it is nobody's domain. */
const erasedDomain = 'erased.invalid';
/** Partial indexes contain the same condition. */
export const isErasedSql = (column: string): string => `${column} LIKE '%@${erasedDomain}'`;
export const isErased = (email: string): boolean => email.endsWith(`@${erasedDomain}`);

const hashDigits = 40;

/** Hashes of erased addresses, in the form of addresses. */
export class ErasedNames extends AddressHashes {
  override of(projectId: string, email: string): string {
    return `${super.of(projectId, email).slice(0, hashDigits)}@${erasedDomain}`;
  }
}
