import { setImmediate as settle } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { TargetRuns } from './unsubscribe.service.js';

const limitMs = 1_900;

/** Time that stands still until it is advanced. */
class TestTime {
  now = 0;
  private timers: { at: number; call: () => void }[] = [];

  readonly after = (ms: number, call: () => void) => {
    const timer = { at: this.now + ms, call };
    this.timers.push(timer);
    return () => void (this.timers = this.timers.filter((each) => each !== timer));
  };

  async advance(ms: number): Promise<void> {
    this.now += ms;
    const due = this.timers.filter(({ at }) => at <= this.now);
    this.timers = this.timers.filter(({ at }) => at > this.now);
    for (const { call } of due) call();
    await settle();
  }
}

function open() {
  const time = new TestTime();
  const runs = new TargetRuns(time.after, () => time.now);
  const ends: (() => void)[] = [];
  const timeouts: number[] = [];
  const run = (target: string) =>
    runs.run(target, limitMs, (timeoutMs) => {
      timeouts.push(timeoutMs);
      return new Promise<void>((end) => ends.push(end));
    });
  const end = async (index: number) => {
    ends[index]!();
    await settle();
  };
  return { time, runs, run, ends, end, timeouts };
}

const outcomeOf = (answer: Promise<unknown>) =>
  answer.then(
    () => 'done',
    ({ kind }: { kind: string }) => kind,
  );

describe('runs of a target', () => {
  it('happen one after another; all that wait share the next one', async () => {
    const { run, ends, end } = open();
    const first = run('a');
    await settle();
    const later = [run('a'), run('a'), run('a')];
    await settle();
    expect(ends).toHaveLength(1);
    await end(0);
    await first;
    expect(ends).toHaveLength(2);
    await end(1);
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
    await expect(runs.run('a', limitMs, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await runs.run('a', limitMs, () => Promise.resolve('done'))).toBe('done');
  });

  it('begin once a second past 60 within a minute, and none is refused', async () => {
    const { time, runs } = open();
    let begun = 0;
    const work = () => Promise.resolve((begun += 1));
    for (let times = 0; times < 60; times += 1) await runs.run('a', limitMs, work);
    const late = Array.from({ length: 20 }, () => runs.run('a', limitMs, work));
    await time.advance(999);
    expect(begun).toBe(60);
    await time.advance(1);
    expect(await Promise.all(late)).toEqual(Array<number>(20).fill(61));
    expect(await runs.run('b', limitMs, work)).toBe(62);
    await time.advance(59_000);
    expect(await runs.run('a', limitMs, work)).toBe(63);
  });

  it('get what is left of the time of their requests; the pause before them is reckoned from the begin of the run before', async () => {
    const { time, runs, run, end, timeouts } = open();
    for (let times = 0; times < 60; times += 1) await runs.run('a', limitMs, () => Promise.resolve());
    const answers = [run('a')];
    await time.advance(1_000);
    answers.push(run('a'));
    await time.advance(600);
    answers.push(run('a'));
    await end(0);
    expect(timeouts).toEqual([900]);
    await time.advance(400);
    expect(timeouts).toEqual([900, 900]);
    await end(1);
    expect(await Promise.all(answers.map(outcomeOf))).toEqual(['done', 'done', 'done']);
  });

  it('are refused in time to whoever waited too long, and not begun where nobody waits any more', async () => {
    const { time, run, ends, end, timeouts } = open();
    const first = run('a');
    await settle();
    const [form, oneClick] = [outcomeOf(run('a')), outcomeOf(run('a'))];
    await time.advance(1_600);
    expect(await Promise.all([form, oneClick])).toEqual(['unavailable', 'unavailable']);
    await end(0);
    await first;
    expect(ends).toHaveLength(1);
    const [second] = [run('a'), await settle()];
    const early = outcomeOf(run('a'));
    await time.advance(1_000);
    const late = outcomeOf(run('a'));
    await time.advance(600);
    expect(await early).toBe('unavailable');
    await end(1);
    await second;
    expect(timeouts).toEqual([1_900, 1_900, 1_300]);
    await end(2);
    expect(await late).toBe('done');
  });

  it('are remembered for few targets', async () => {
    const { runs } = open();
    for (let target = 0; target < 12_000; target += 1)
      await runs.run(`${target}`, limitMs, () => Promise.resolve());
    expect(runs.targets).toBeLessThanOrEqual(10_000);
  });
});
