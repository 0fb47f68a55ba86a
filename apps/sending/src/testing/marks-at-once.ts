import type { Database } from '@posthorn/database';
import { eventually, lockWaiters } from '@posthorn/testing';
import type { HandOffMarks, Mark } from '../delivery/hand-off/hand-off-marks.repository.js';
import type { HeldMessage } from './claimed-messages.js';

interface Batch {
  workerId: string;
  messages: HeldMessage[];
}

/** Marks batches while `lock`, a statement for the project, holds what a mark writes last: several are at work before the first ends. */
export async function marksAtOnce(
  database: Database,
  marks: HandOffMarks,
  batches: readonly Batch[],
  lock: string,
): Promise<Mark[][]> {
  let marking: Promise<Mark[][]> | undefined;
  await database.transaction(async () => {
    await database.query(lock, [batches[0]!.messages[0]!.projectId]);
    marking = database.apart(() =>
      Promise.all(batches.map(({ workerId, messages }) => marks.mark(workerId, messages))),
    );
    await eventually(async () => (await lockWaiters(database)).length >= 2, 'two marks wait');
  });
  return marking!;
}
