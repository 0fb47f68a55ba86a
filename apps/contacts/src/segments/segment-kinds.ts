import { work } from '@posthorn/work';

/**
 * A project some of whose contacts are to be evaluated again by its live segments: they have changed, or (under the key `time`) a condition that
 * looks at the time gives another answer from now on.
 */
export const segmentUpkeepWork = work('contacts.segment-upkeep', {
  signal: true,
  exclusive: true,
  mixed: true,
  batch: 20,
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: 60_000 },
});

/** A segment whose members are to be found anew, by its id: it is kept by schedule, or somebody asked for it. */
export const segmentRefreshWork = work<{ requested?: boolean }>('contacts.segment-refreshes', {
  timeoutMs: 120_000,
  retry: { attempts: Infinity, firstMs: 120_000, maxMs: 3_600_000 },
});
