import { expect, it } from '@jest/globals';
import { IdleBackoff } from './idle-backoff.js';

it('a pause doubles up to its maximum while there is nothing to do, and is short again afterwards', () => {
  const polling = new IdleBackoff(1_000, 5_000);
  expect([true, false, false, false, false, true, false].map((busy) => polling.delayMs({ busy }))).toEqual([
    1_000, 2_000, 4_000, 5_000, 5_000, 1_000, 2_000,
  ]);
});
