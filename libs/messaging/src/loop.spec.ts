import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Loop, IdleBackoff } from './loop.js';

describe('a loop', () => {
  it('says once that it succeeds again after it failed repeatedly', async () => {
    const lines: string[] = [];
    Logger.overrideLogger({
      log: (line: string) => lines.push(line),
      warn: () => undefined,
      error: () => undefined,
    });
    let round = 0;
    const done = Promise.withResolvers<void>();
    const loop: Loop = new Loop({
      everyMs: 1,
      work: async () => {
        round += 1;
        if (round <= 3) throw new Error('no such column');
        if (round === 6) done.resolve();
      },
      onError: () => undefined,
    });
    loop.start();
    await done.promise;
    await loop.stop();
    Logger.overrideLogger(true);
    expect(lines).toEqual(['succeeds again after 3 failures: no such column']);
  });
});

it('a pause doubles up to its maximum while there is nothing to do, and is short again afterwards', () => {
  const polling = new IdleBackoff(1_000, 5_000);
  expect([true, false, false, false, false, true, false].map((busy) => polling.delayMs({ busy }))).toEqual([
    1_000, 2_000, 4_000, 5_000, 5_000, 1_000, 2_000,
  ]);
});
