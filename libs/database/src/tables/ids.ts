import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const randomBytes = 16;
const pool = Buffer.alloc(randomBytes * 256);
let used = pool.length;
let msecs = 0;
let seq = 0;

/** UUIDv7 (docs/api-decisions.md §1), rising in this process. Random bytes are slow: fetched for many. */
export function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const random = pool.subarray(used, (used += randomBytes));
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

export const instantOf = (id: string): Date => new Date(parseInt(id.slice(0, 8) + id.slice(9, 13), 16));

export function lowestIdOf(milliseconds: number): string {
  const hex = Math.max(0, milliseconds).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
