import { createHash } from 'node:crypto';
import type { DomainEvent } from '../calls/handlers.js';

/** Sixteen bytes as a UUID of this version (RFC 9562 §4); changes them. */
export function uuidOf(bytes: Buffer, version: 7 | 8): string {
  bytes[6] = (bytes[6]! & 0x0f) | (version << 4);
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** The same for every delivery of the item (RFC 9562 §5.8). */
export const itemId = (eventId: string, position: number): string =>
  uuidOf(createHash('sha256').update(`${eventId} ${position}`).digest().subarray(0, 16), 8);

export function idOfItem({ origins }: Pick<DomainEvent<unknown>, 'origins'>, index: number): string {
  const { eventId, position } = origins[index]!;
  return itemId(eventId, position);
}
