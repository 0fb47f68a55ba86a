import type { RecordStatus } from '@posthorn/contracts';
import type { DkimKeyRow } from './dkim-key.entity.js';
import { settled } from '../domain.entity.js';

export type KeyChange = Pick<DkimKeyRow, 'id' | 'state' | 'recordStatus' | 'retiringSince'>;

/** What one look into the DNS makes of the keys of a domain. */
export interface KeyTurn {
  changes: KeyChange[];
  /** Keys that nothing on its way was signed with. */
  gone: string[];
  /** Whether they prove whose the domain is. */
  proof: RecordStatus;
}

/** Mail is on its way for five days at most; a verifier may look again later. */
const publishedMs = 7 * 24 * 3_600_000;

/** A key signs from the look on that finds its record, and the one before it retires: at no instant is signed with a key that nobody finds. */
export function turnKeys(
  keys: readonly DkimKeyRow[],
  found: ReadonlyMap<string, RecordStatus>,
  now: Date,
): KeyTurn {
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

/** Not every reader knows ed25519: the RSA key has to be there. */
function proofOf(keys: readonly DkimKeyRow[], found: ReadonlyMap<string, RecordStatus>): RecordStatus {
  const proving = keys.filter(({ algorithm, state }) => algorithm === 'rsa' && state !== 'RETIRING');
  const statuses = proving.map(({ id }) => found.get(id) ?? 'PENDING');
  if (statuses.includes('VERIFIED')) return 'VERIFIED';
  return statuses.length === 0 || statuses.includes('PENDING') ? 'PENDING' : 'FAILED';
}
