import { createHash } from 'node:crypto';
import type { DomainEvent } from '@posthorn/messaging';
import type { Position } from './engine/step-machine.js';

/** Sixteen bytes as a UUID of this version (RFC 9562 §4); changes them. */
export function uuidOf(bytes: Buffer, version: 7 | 8): string {
  bytes[6] = (bytes[6]! & 0x0f) | (version << 4);
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** The same for every delivery of the item (RFC 9562 §5.8). */
export function idOfItem({ origins }: Pick<DomainEvent<unknown>, 'origins'>, index: number): string {
  const { eventId, position } = origins[index]!;
  return uuidOf(createHash('sha256').update(`${eventId} ${position}`).digest().subarray(0, 16), 8);
}

/** A UUIDv7 (RFC 9562 §5.7) that depends on nothing else: whoever repeats the effect of a visit uses the same one. */
export function effectId(executionId: string, { stepId, visit }: Position, enteredAt: Date): string {
  const bytes = createHash('sha256').update(`${executionId} ${stepId} ${visit}`).digest().subarray(0, 16);
  bytes.writeUIntBE(enteredAt.getTime(), 0, 6);
  return uuidOf(bytes, 7);
}
