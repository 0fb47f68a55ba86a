import { work } from '@posthorn/work';

/** Lets mail of a project that waits for an allowance be checked again. */
export const allowanceReleaseWork = work('sending.allowance-releases', {
  concurrency: 2,
  spread: true,
  retry: { attempts: 10, firstMs: 1_000, maxMs: 60_000 },
});
