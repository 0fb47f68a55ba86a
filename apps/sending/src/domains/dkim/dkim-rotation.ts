import type { RecordStatus } from '@posthorn/contracts';
import type { DkimKeyRow } from './dkim-key.entity.js';
import { settled } from '../domain.entity.js';

export type KeyChange = Pick<DkimKeyRow, 'id' | 'state' | 'recordStatus' | 'retiringSince'>;

export interface KeyRotation {
  changes: KeyChange[];
  gone: string[];
  proof: RecordStatus;
}

/** Mail is in transit for five days at most; verifiers may check later. */
const publishedMs = 7 * 24 * 3_600_000;

/** A key becomes active, and its predecessor retires, when its record is found, so no mail is signed with an unpublished key. */
export function rotateKeys(
  keys: readonly DkimKeyRow[],
  found: ReadonlyMap<string, RecordStatus>,
  now: Date,
): KeyRotation {
  const isGone = ({ retiringSince }: DkimKeyRow): boolean =>
    retiringSince !== null && now.getTime() - retiringSince.getTime() >= publishedMs;
  const statusOf = ({ id, recordStatus }: DkimKeyRow): RecordStatus =>
    settled(recordStatus, found.get(id) ?? 'PENDING');
  const arriving = keys.filter((key) => key.state === 'PENDING' && found.get(key.id) === 'VERIFIED');
  const changes = keys
    .filter((key) => !isGone(key))
    .map((key): KeyChange => {
      const { id, state, algorithm, retiringSince } = key;
      const replaced = state === 'ACTIVE' && arriving.some((other) => other.algorithm === algorithm);
      const next = replaced ? 'RETIRING' : arriving.includes(key) ? 'ACTIVE' : state;
      return { id, state: next, recordStatus: statusOf(key), retiringSince: replaced ? now : retiringSince };
    });
  return { changes, gone: keys.filter(isGone).map(({ id }) => id), proof: proofOf(keys, found) };
}

/** Not all verifiers know ed25519, so ownership depends on the RSA key. */
function proofOf(keys: readonly DkimKeyRow[], found: ReadonlyMap<string, RecordStatus>): RecordStatus {
  const proving = keys.filter(({ algorithm, state }) => algorithm === 'rsa' && state !== 'RETIRING');
  const statuses = proving.map(({ id }) => found.get(id) ?? 'PENDING');
  if (statuses.includes('VERIFIED')) return 'VERIFIED';
  return statuses.length === 0 || statuses.includes('PENDING') ? 'PENDING' : 'FAILED';
}
