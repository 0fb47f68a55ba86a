import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { FaultyJob, FaultyReply } from '../testing/odd-jobs.worker.js';
import { FairJobs } from './fair-jobs.js';
import { workerModule } from './worker-jobs.js';
import { WorkerPool, type Measured } from './worker-pool.js';

const pools: WorkerPool<FaultyJob, FaultyReply>[] = [];
afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())));

function open(
  threads: number,
  { waitingPerProject = 100, jobMs = 300, slowMs = 150, held = () => Promise.resolve() } = {},
) {
  const module = workerModule(import.meta.url, '../testing/odd-jobs.worker.js');
  const pool = new WorkerPool<FaultyJob, FaultyReply>({ module, threads, jobMs });
  pools.push(pool);
  const batches: number[] = [];
  const run = async (jobs: FaultyJob[], measured?: Measured) => {
    batches.push(jobs.length);
    const answers = await pool.run(jobs, measured);
    if (jobs.some(({ does }) => does === 'loops')) await held();
    return answers;
  };
  const bound = { what: 'jobs', waitingPerProject };
  return {
    jobs: new FairJobs<FaultyJob, FaultyReply>({ pool: { run }, threads, slowMs, bound }),
    batches,
  };
}

type Fixture = ReturnType<typeof open>;

/** The projects in the order in which their jobs ended. */
function ordered({ jobs }: Fixture) {
  const ended: string[] = [];
  const run = (projectId: string, does: FaultyJob['does'], count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, value) =>
        jobs.run(projectId, { does, value }).then(() => void ended.push(projectId)),
      ),
    );
  return { ended, run };
}

describe('jobs of several projects', () => {
  it('of a slow project hold up nobody else', async () => {
    let held = Promise.resolve();
    const { ended, run } = ordered(open(2, { jobMs: 1_000, slowMs: 700, held: () => held }));
    await run('quick', 'answers', 2);
    await run('slow', 'loops', 1);
    ended.length = 0;
    // Each is held until the quick ones have ended, or cannot end; and only one of them runs at a time.
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    const giveUp = setTimeout(resolve, 20_000);
    const slow = run('slow', 'loops', 2);
    // They have the threads that they can have before the others come.
    await setImmediate();
    await setImmediate();
    await run('quick', 'answers', 40);
    expect(new Set(ended)).toEqual(new Set(['quick']));
    clearTimeout(giveUp);
    resolve();
    await slow;
    expect(ended).toHaveLength(42);
  });

  it('of a new project wait for one job of each slow one at most', async () => {
    const { ended, run } = ordered(open(2));
    const slow = [run('slow-a', 'spins', 12), run('slow-b', 'loops', 12)];
    await run('slow-a', 'spins', 1);
    const before = ended.length;
    await run('new', 'answers', 1);
    expect(ended.slice(before).filter((projectId) => projectId !== 'new').length).toBeLessThan(8);
    await Promise.all(slow);
  });

  it('take turns within a batch, and share it', async () => {
    const fixture = open(1);
    const { ended, run } = ordered(fixture);
    // Until both are known to be quick, also on a busy machine.
    for (let round = 0; round < 8; round += 1)
      await Promise.all([run('a', 'answers', 1), run('b', 'answers', 1)]);
    ended.length = 0;
    fixture.batches.length = 0;
    await Promise.all([run('a', 'answers', 15), run('b', 'answers', 3)]);
    expect(ended.slice(0, 6)).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
    expect(fixture.batches).toEqual([18]);
  });

  it('fail one by one where their thread is lost', async () => {
    const { jobs } = open(1);
    const answers = await Promise.all(
      (['answers', 'loops', 'answers'] as const).map((does, value) => jobs.run('a', { does, value })),
    );
    expect(answers.map((answer) => answer instanceof Error)).toEqual([false, true, false]);
  });

  it('beyond the bound of a project are refused, and those of others are not', async () => {
    const { jobs } = open(1, { waitingPerProject: 2 });
    const answers = (projectId: string) => jobs.run(projectId, { does: 'answers', value: 0 });
    const kept = [answers('a'), answers('a')];
    await expect(answers('a')).rejects.toMatchObject({
      kind: 'rate_limited',
      details: { retryAfterSeconds: 2 },
    });
    kept.push(answers('b'));
    expect(await Promise.all(kept)).toHaveLength(3);
    expect(await answers('a')).toMatchObject({ value: 0 });
  });

  it('whose callers give up before they could begin never do, and are refused in time', async () => {
    const { jobs, batches } = open(1);
    const slow = jobs.run('a', { does: 'loops', value: 0 });
    const late = jobs.run('a', { does: 'answers', value: 1 }, 250);
    let slowEnded = false;
    void slow.then(() => (slowEnded = true));
    await expect(late).rejects.toMatchObject({ kind: 'rate_limited' });
    expect(slowEnded).toBe(false);
    await slow;
    expect(await jobs.run('a', { does: 'answers', value: 2 }, 60_000)).toMatchObject({ value: 2 });
    expect(batches).toEqual([1, 1]);
  });

  it('of an unknown project are still begun where its first one came too late', async () => {
    const { jobs, batches } = open(1);
    const late = expect(jobs.run('a', { does: 'answers', value: 0 }, 0)).rejects.toMatchObject({
      kind: 'rate_limited',
    });
    expect(await jobs.run('a', { does: 'answers', value: 1 })).toMatchObject({ value: 1 });
    await late;
    expect(batches).toEqual([1]);
  });
});
