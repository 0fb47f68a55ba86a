import { createHash } from 'node:crypto';
import type { Campaign } from '@posthorn/contracts';

export interface Assigned {
  /** Its index; null for who gets the winner. */
  variant: number | null;
}

const parts = 10_000;

/** At random, and the same each time for a campaign and a contact: a page that is read again assigns nobody anew. */
export function assignedTo(
  contactId: string,
  { id, variants, test }: Pick<Campaign, 'id' | 'variants' | 'test'>,
): Assigned {
  if (!variants || !test) return { variant: null };
  const hash = createHash('md5').update(`${id} ${contactId}`).digest();
  const isTested = hash.readUInt32BE(0) % parts < (test.share * parts) / 100;
  return { variant: isTested ? hash.readUInt32BE(4) % variants.length : null };
}
