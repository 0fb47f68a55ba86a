import { createHash } from 'node:crypto';
import type { DomainEvent } from '@posthorn/messaging';
import { uuidOf } from './uuid-of-bytes.js';

/** The same for every delivery of the item (RFC 9562 §5.8). */
export function idOfItem({ origins }: Pick<DomainEvent<unknown>, 'origins'>, index: number): string {
  const { eventId, position } = origins[index]!;
  return uuidOf(createHash('sha256').update(`${eventId} ${position}`).digest().subarray(0, 16), 8);
}
