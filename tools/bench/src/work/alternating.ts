import { waitMs } from '../bench.js';
import type { WorkFixture } from './work-fixture.js';

/** What a claim costs on the first and on the second side, which take turns. */
export async function alternatingCosts(
  fixtures: readonly [WorkFixture, WorkFixture],
  turns: number,
  costOn: (fixture: WorkFixture) => Promise<number>,
): Promise<[number, number]> {
  const sides = fixtures.map((fixture) => ({ fixture, costs: [] as number[] }));
  // After a checkpoint each page that is touched is written as a whole once: that is no part of a claim.
  for (const { fixture } of sides) await costOn(fixture);
  for (let turn = 0; turn < turns; turn += 1)
    for (const { fixture, costs } of turn % 2 ? [...sides].reverse() : sides)
      costs.push(await costOn(fixture));
  const [first, second] = sides.map(({ costs }) => waitMs(costs));
  return [first!, second!];
}
