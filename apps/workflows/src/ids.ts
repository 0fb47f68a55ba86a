import { createHash } from 'node:crypto';
import { uuidOf } from '@posthorn/messaging';
import type { Position } from './engine/step-machine.js';

/** A UUIDv7 (RFC 9562 §5.7) that depends on nothing else: whoever repeats the effect of a visit uses the same one. */
export function effectId(executionId: string, { stepId, visit }: Position, enteredAt: Date): string {
  const bytes = createHash('sha256').update(`${executionId} ${stepId} ${visit}`).digest().subarray(0, 16);
  bytes.writeUIntBE(enteredAt.getTime(), 0, 6);
  return uuidOf(bytes, 7);
}
