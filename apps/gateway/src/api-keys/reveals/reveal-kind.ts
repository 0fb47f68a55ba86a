import { work } from '@posthorn/work';

/** Deletes a secret that was not revealed in time; the item key is the API key's id. */
export const revealPurgeWork = work('gateway.reveal-purges', {
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: 60_000 },
});
