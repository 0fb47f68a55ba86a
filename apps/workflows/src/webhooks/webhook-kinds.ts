import { work } from '@posthorn/work';

/** By the id of a subscription; due when its next call is. Sixty-four endpoints at once: a slow one takes one place. */
export const webhookTurnWork = work('workflows.webhook-turns', {
  concurrency: 64,
  spread: true,
  retry: { attempts: Infinity, firstMs: 500, maxMs: 30_000 },
});
