import { work } from '@posthorn/work';

export const allowanceReleaseWork = work('sending.allowance-releases', {
  concurrency: 2,
  spread: true,
  retry: { attempts: 10, firstMs: 1_000, maxMs: 60_000 },
});
