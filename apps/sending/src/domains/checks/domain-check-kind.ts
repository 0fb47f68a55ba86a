import { work } from '@posthorn/work';

const hour = 3_600_000;
export const betweenChecksMs = 6 * hour;

export const domainCheckWork = work('sending.domain-checks', {
  concurrency: 10,
  // Name servers of one project may be slow; they hold one of the ten places.
  spread: true,
  retry: { attempts: Infinity, firstMs: 60_000, maxMs: 600_000 },
});
