import { expect } from '@jest/globals';

const maxTries = 4;

/** Other load only makes an answer slower, so the fastest of several attempts shows its own time. */
export async function expectWithin(boundMs: number, attempt: () => Promise<number>): Promise<void> {
  const took: number[] = [];
  do took.push(await attempt());
  while (took.at(-1)! >= boundMs && took.length < maxTries);
  expect(Math.min(...took)).toBeLessThan(boundMs);
}
