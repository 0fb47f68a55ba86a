import { work } from '@posthorn/work';

/** A person to be erased everywhere, by the id of the contact. It is tried until it is done. */
export const erasureWork = work('contacts.erasures', {
  batch: 64,
  concurrency: 4,
  retry: { attempts: Infinity, firstMs: 2_000, maxMs: 300_000 },
});
