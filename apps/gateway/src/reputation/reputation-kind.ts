import { work } from '@posthorn/work';

/** Evaluates the reputation of a project; one item for all events of the last second. */
export const reputationWork = work('gateway.reputation', {
  concurrency: 2,
  retry: { attempts: 10, firstMs: 1_000, maxMs: 60_000 },
});
export const reputationKey = 'evaluate';
