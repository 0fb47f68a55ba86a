import { expect, it } from '@jest/globals';
import { judgeCrowds, type Phase } from './judge-crowds.js';

const phase = (name: string, ms: number): Phase => ({
  name,
  api: [ms],
  mail: [ms],
  workflow: [ms],
  bounces: [ms],
});
const broken = (...phases: Phase[]) => judgeCrowds({ phases, crashes: [] }).map((each) => each.broken.length);

it('turns red where a phase takes more than twice as long as alone, or says nothing', () => {
  expect(broken(phase('alone', 200), phase('calm', 400), phase('harmed', 401))).toEqual([0, 4, 0]);
  expect(broken(phase('alone', 200), { ...phase('silent', 1), mail: [] })).toEqual([1, 0]);
  expect(broken(phase('alone', 1), phase('unnoticed', 100), phase('noticed', 101))).toEqual([0, 4, 0]);
  expect(judgeCrowds({ phases: [phase('alone', 1)], crashes: ['gateway'] })[0]!.broken).toEqual(['gateway']);
});
