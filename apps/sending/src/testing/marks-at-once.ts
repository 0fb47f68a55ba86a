import type { Database } from '@posthorn/database';
import { eventually, lockWaiters } from '@posthorn/testing';
import type { HandOffMarks, Mark } from '../delivery/hand-off/hand-off-marks.repository.js';
import { addressLockKeySql } from '../suppressions/suppressions.repository.js';
import type { HeldMessage } from './claimed-messages.js';

interface Batch {
  workerId: string;
  messages: HeldMessage[];
}

/** Marks batches that share their first recipient at the same time: all of them wait for its address, until all may go on at once. */
export async function marksAtOnce(
  database: Database,
  marks: HandOffMarks,
  batches: readonly Batch[],
): Promise<Mark[][]> {
  const { projectId, recipient } = batches[0]!.messages[0]!;
  let marking: Promise<Mark[][]> | undefined;
  await database.transaction(async () => {
    await database.query(
      `SELECT pg_advisory_xact_lock(${addressLockKeySql}) FROM (SELECT $1::uuid AS project_id, $2::text AS email) AS a`,
      [projectId, recipient],
    );
    marking = database.apart(() =>
      Promise.all(batches.map(({ workerId, messages }) => marks.mark(workerId, messages))),
    );
    await eventually(
      async () => (await lockWaiters(database, { locktype: 'advisory' })).length >= 2,
      'several marks wait for the address',
    );
  });
  return marking!;
}
