import { setImmediate as settle } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { TargetRuns } from './target-runs.js';

function open() {
  const clock = { now: 0, pauses: [] as (() => void)[] };
  const pause = () => new Promise<void>((end) => clock.pauses.push(end));
  const runs = new TargetRuns(pause, () => clock.now);
  const ends: (() => void)[] = [];
  const run = (target: string) => runs.run(target, () => new Promise<void>((end) => ends.push(end)));
  return { clock, runs, run, ends };
}

describe('runs of a target', () => {
  it('happen one after another; all that wait share the next one', async () => {
    const { run, ends } = open();
    const first = run('a');
    await settle();
    const later = [run('a'), run('a'), run('a')];
    await settle();
    expect(ends).toHaveLength(1);
    ends[0]!();
    await first;
    await settle();
    expect(ends).toHaveLength(2);
    ends[1]!();
    await Promise.all(later);
    expect(ends).toHaveLength(2);
  });

  it('do not wait for other targets', async () => {
    const { run, ends } = open();
    void run('a');
    void run('b');
    await settle();
    expect(ends).toHaveLength(2);
  });

  it('happen also after one that failed', async () => {
    const { runs } = open();
    await expect(runs.run('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await runs.run('a', () => Promise.resolve('done'))).toBe('done');
  });

  it('begin once a second past 60 within a minute, and none is refused', async () => {
    const { clock, runs } = open();
    let begun = 0;
    const work = () => Promise.resolve((begun += 1));
    for (let times = 0; times < 60; times += 1) await runs.run('a', work);
    const late = Array.from({ length: 20 }, () => runs.run('a', work));
    await settle();
    expect([begun, clock.pauses.length]).toEqual([60, 1]);
    clock.pauses[0]!();
    expect(await Promise.all(late)).toEqual(Array<number>(20).fill(61));
    expect(await runs.run('b', work)).toBe(62);
    clock.now = 60_000;
    expect(await runs.run('a', work)).toBe(63);
  });

  it('are remembered for few targets', async () => {
    const { runs } = open();
    for (let target = 0; target < 12_000; target += 1) await runs.run(`${target}`, () => Promise.resolve());
    expect(runs.targets).toBeLessThanOrEqual(10_000);
  });
});
