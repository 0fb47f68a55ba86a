import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const randomBytes = 16;
const held = Buffer.alloc(randomBytes * 256);
let used = held.length;
let msecs = 0;
let seq = 0;

/** A new UUIDv7 (docs/api-decisions.md §1), above all that this process made before. Its randomness is fetched for many at once: each call takes longer than all else of it. */
export function newId(): string {
  if (used === held.length) {
    randomFillSync(held);
    used = 0;
  }
  const random = held.subarray(used, (used += randomBytes));
  const now = Date.now();
  if (now > msecs) {
    msecs = now;
    seq = random.readUInt32BE(6) >>> 1;
  } else if (++seq > 0xffff_ffff) {
    seq = 0;
    msecs += 1;
  }
  return v7({ random, msecs, seq });
}

/** The instant that a UUIDv7 begins with. */
export const instantOf = (id: string): Date => new Date(parseInt(id.slice(0, 8) + id.slice(9, 13), 16));

/** The lowest UUIDv7 of an instant: its first 48 bits are milliseconds since 1970 (RFC 9562). */
export function lowestIdOf(milliseconds: number): string {
  const hex = Math.max(0, milliseconds).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
