import { unavailable } from '@posthorn/contracts';
import type { DatabaseClock } from '@posthorn/database';

/** Past its deadline the caller has told its client that nothing happened: then nothing may be committed (guarantees.md §4). */
export async function refuseLate(clock: DatabaseClock, deadline: Date | null): Promise<void> {
  if (deadline && (await clock.now()) >= deadline) throw unavailable('The deadline of the request has passed');
}
