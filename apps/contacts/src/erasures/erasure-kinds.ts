import { work } from '@posthorn/work';

/** Erases a person in all services, by the id of the contact; retried until it succeeds. */
export const erasureWork = work('contacts.erasures', {
  batch: 64,
  concurrency: 4,
  retry: { attempts: Infinity, firstMs: 2_000, maxMs: 300_000 },
});
