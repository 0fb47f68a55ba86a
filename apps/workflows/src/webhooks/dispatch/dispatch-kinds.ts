import { work } from '@posthorn/work';

const options = {
  concurrency: 64,
  retry: { attempts: Infinity, firstMs: 500, maxMs: 30_000 },
};

/** By the id of a subscription; due when its next call is. */
export const webhookTurnWork = work('workflows.webhook-turns', options);

/** By the id of an origin to which webhook steps of the project go. */
export const stepTurnWork = work('workflows.step-turns', options);
