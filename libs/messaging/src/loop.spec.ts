import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Loop } from './loop.js';

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
