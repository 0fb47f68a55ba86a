import { chainOf, type Chain } from './workflow.js';

export const stepsOfGraph = 6;
/** As short as it can be and still be a timer that waits. */
export const timerMs = 120;
const timer = { amount: timerMs / 60_000, unit: 'minutes' };

/** Everybody goes through every step. */
export const sixSteps = (): Chain =>
  chainOf(
    ['CONDITION', { field: 'contact.subscribed', operator: 'equals', value: true }],
    ['DELAY', timer],
    ['CONDITION', { field: 'contact.email', operator: 'contains', value: '@bench.test' }],
    ['DELAY', timer],
    ['EXIT', { reason: 'Done' }],
  );
