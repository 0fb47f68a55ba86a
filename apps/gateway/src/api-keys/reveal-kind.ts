import { work } from '@posthorn/work';

/** A secret that nobody read in time, by the id of its key. */
export const revealPurgeWork = work('gateway.reveal-purges', {
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: 60_000 },
});
