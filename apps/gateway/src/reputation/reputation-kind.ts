import { work } from '@posthorn/work';

export interface Suspicion {
  sent?: number;
}

/** Evaluates the reputation of a project; one item for all events of the last second, and one that confirms a verdict. */
export const reputationWork = work<Suspicion>('gateway.reputation', {
  concurrency: 2,
  retry: { attempts: 10, firstMs: 1_000, maxMs: 60_000 },
});
export const reputationKey = 'evaluate';
export const confirmationKey = 'confirm';
