import { describe, expect, it } from '@jest/globals';
import { LimitedRuns } from './limited-runs.js';

const limits = { what: 'previews', running: 2, perProject: 1, waitingPerProject: 2, waiting: 3 };

/** Work that ends when it is told to. */
function open() {
  const runs = new LimitedRuns(limits);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (projectId: string, key: string, remainingMs: number | null = null) =>
    runs.run(projectId, key, remainingMs, async () => {
      started.push(`${projectId}${key}`);
      await new Promise<void>((end) => ends.set(`${projectId}${key}`, end));
      return `${projectId}${key}`;
    });
  const end = async (name: string) => {
    ends.get(name)!();
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  return { run, started, end };
}

describe('limited runs', () => {
  it('run identical requests of a project once', async () => {
    const { run, started, end } = open();
    const both = Promise.all([run('a', '1'), run('a', '1')]);
    await Promise.resolve();
    await end('a1');
    expect([await both, started]).toEqual([['a1', 'a1'], ['a1']]);
  });

  it('run identical requests again that come after the first has begun, where these must see what happened before', async () => {
    const runs = new LimitedRuns({ ...limits, joinsRunning: false });
    const ends: (() => void)[] = [];
    const run = () => runs.run('a', '1', null, () => new Promise<void>((end) => ends.push(end)));
    const first = run();
    await Promise.resolve();
    const later = [run(), run(), run()];
    expect(ends).toHaveLength(1);
    ends[0]!();
    await first;
    await Promise.resolve();
    expect(ends).toHaveLength(2);
    ends[1]!();
    await Promise.all(later);
    expect(ends).toHaveLength(2);
  });

  it('let projects take turns, each within its share', async () => {
    const { run, started, end } = open();
    const all = [run('a', '1'), run('a', '2'), run('a', '3'), run('b', '1')];
    await Promise.resolve();
    expect(started).toEqual(['a1', 'b1']);
    all.push(run('c', '1'));
    await end('b1');
    await end('a1');
    expect(started).toEqual(['a1', 'b1', 'c1', 'a2']);
    await end('c1');
    await end('a2');
    await end('a3');
    expect(await Promise.all(all)).toHaveLength(5);
  });

  it('refuse what exceeds the queue of the project or of the process', async () => {
    const { run, end } = open();
    const first = [run('a', '1'), run('b', '1'), run('a', '2'), run('a', '3')];
    await expect(run('a', '4')).rejects.toMatchObject({
      kind: 'rate_limited',
      details: { retryAfterSeconds: 2 },
    });
    first.push(run('b', '2'));
    await expect(run('b', '3')).rejects.toMatchObject({ kind: 'rate_limited' });
    for (const name of ['a1', 'b1', 'a2', 'b2', 'a3']) await end(name);
    expect(await Promise.all(first)).toHaveLength(5);
  });

  it('give a project its place although others have taken all: the newest run of the longest queue is refused', async () => {
    const { run, started, end } = open();
    const kept = [run('a', '1'), run('b', '1'), run('a', '2')];
    const newest = expect(run('a', '3')).rejects.toMatchObject({ kind: 'rate_limited' });
    kept.push(run('b', '2'), run('c', '1'));
    await newest;
    await expect(run('d', '1')).rejects.toMatchObject({ kind: 'rate_limited' });
    for (const name of ['a1', 'b1', 'a2', 'b2', 'c1']) await end(name);
    expect(await Promise.all(kept)).toHaveLength(5);
    expect(started).not.toContain('a3');
  });

  it('refuse what waited too long to be done before its deadline, without waiting for the one before', async () => {
    const { run, started, end } = open();
    const first = run('a', '1');
    await expect(run('a', '2', 250)).rejects.toMatchObject({
      kind: 'rate_limited',
      details: { retryAfterSeconds: 2 },
    });
    const next = run('a', '3', 60_000);
    await end('a1');
    await end('a3');
    expect([await first, await next, started]).toEqual(['a1', 'a3', ['a1', 'a3']]);
  });

  it('refuse what is too late also where the timer is', async () => {
    const { run, started, end } = open();
    const first = run('a', '1');
    const late = expect(run('a', '2', 210)).rejects.toMatchObject({ kind: 'rate_limited' });
    await Promise.resolve();
    for (const until = performance.now() + 20; performance.now() < until;);
    await end('a1');
    await late;
    expect([await first, started]).toEqual(['a1', ['a1']]);
  });

  it('give room to the next after a failure', async () => {
    const runs = new LimitedRuns({ ...limits, running: 1 });
    const failing = runs.run('a', '1', null, () => Promise.reject(new Error('no')));
    const next = runs.run('a', '2', null, () => Promise.resolve('yes'));
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});
