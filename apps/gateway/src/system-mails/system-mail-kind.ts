import { work } from '@posthorn/work';

/** A mail from Posthorn itself, keyed by its id. The handler decides when it is too old. */
export const systemMailWork = work('gateway.system-mails', {
  concurrency: 5,
  timeoutMs: 15_000,
  retry: { attempts: Infinity, firstMs: 2_000, maxMs: 30_000 },
});
