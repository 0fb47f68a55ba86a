import { expect, it } from '@jest/globals';
import { Pauses } from './pauses.js';

it('doubles while there is nothing to do, up to the longest, and is the shortest again once there is', () => {
  const pauses = new Pauses(1_000, 5_000);
  expect([true, false, false, false, false, true, false].map((isBusy) => pauses.after(isBusy))).toEqual([
    1_000, 2_000, 4_000, 5_000, 5_000, 1_000, 2_000,
  ]);
});
