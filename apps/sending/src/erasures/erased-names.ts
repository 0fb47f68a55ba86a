import { AddressHasher } from '@posthorn/platform';

const erasedDomain = 'erased.invalid';
/** Partial indexes contain the same condition. */
export const isErasedSql = (column: string): string => `${column} LIKE '%@${erasedDomain}'`;
export const isErased = (email: string): boolean => email.endsWith(`@${erasedDomain}`);

const hashDigits = 40;

export class ErasedAddressHasher extends AddressHasher {
  override hash(projectId: string, email: string): string {
    return `${super.hash(projectId, email).slice(0, hashDigits)}@${erasedDomain}`;
  }
}
