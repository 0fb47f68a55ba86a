import { work } from '@posthorn/work';

/** Evaluates contacts of a project by its live segments: they have changed or, under the key `time`, a condition has another result from now on. */
export const segmentUpkeepWork = work('contacts.segment-upkeep', {
  signal: true,
  exclusive: true,
  mixed: true,
  batch: 20,
  // A round costs a dozen statements.
  intervalMs: 1_000,
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: 60_000 },
});

export const segmentRefreshWork = work<{ requested?: boolean }>('contacts.segment-refreshes', {
  spread: true,
  concurrency: 2,
  timeoutMs: 120_000,
  retry: { attempts: Infinity, firstMs: 120_000, maxMs: 3_600_000 },
});
