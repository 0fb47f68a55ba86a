import { afterEach, describe, expect, it } from '@jest/globals';
import type { FaultyReply, FaultyJob } from '../testing/odd-jobs.worker.js';
import { JobFailed, workerModule } from './worker-jobs.js';
import { JobAbandoned, WorkerPool } from './worker-pool.js';

const pools: WorkerPool<FaultyJob, FaultyReply>[] = [];
afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())));

function open(threads: number, jobMs = 300): WorkerPool<FaultyJob, FaultyReply> {
  const pool = new WorkerPool<FaultyJob, FaultyReply>({
    module: workerModule(import.meta.url, '../testing/odd-jobs.worker.js'),
    threads,
    jobMs,
  });
  pools.push(pool);
  return pool;
}

const jobs = (...does: FaultyJob['does'][]): FaultyJob[] =>
  does.map((text, value) => ({ does: text, value }));
const output = (answers: (FaultyReply | Error)[]) =>
  answers.map((answer) => (answer instanceof Error ? answer.message : answer.value));
const threadsOf = (answers: (FaultyReply | Error)[]) =>
  new Set(answers.flatMap((answer) => (answer instanceof Error ? [] : [answer.thread])));

describe('a pool of threads', () => {
  it('gives its first job to the thread that it has warmed up', async () => {
    const pool = open(2);
    pool.warmUp();
    expect(pool.size).toBe(1);
    expect(output(await pool.run(jobs('answers')))).toEqual([0]);
    pool.warmUp();
    expect(pool.size).toBe(1);
  });

  it('answers in the order of the jobs, and a failure affects its job only', async () => {
    const answers = await open(1).run(jobs('answers', 'throws', 'answers'));
    expect(output(answers)).toEqual([0, 'cannot', 2]);
    expect(answers[1]).toBeInstanceOf(JobFailed);
    expect(answers[1]).toMatchObject({ thrown: 'RangeError', details: { line: 7 } });
    expect(threadsOf(answers).size).toBe(1);
  });

  it('ends an endless loop, and continues with the rest on a new thread', async () => {
    const began = performance.now();
    const answers = await open(1).run(jobs('answers', 'loops', 'answers', 'loops', 'answers'));
    expect(output(answers)).toEqual([0, 'took longer than 300 ms', 2, 'took longer than 300 ms', 4]);
    expect(answers[1]).toBeInstanceOf(JobAbandoned);
    expect(threadsOf(answers).size).toBe(3);
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it('survives excessive memory and a thread that exits', async () => {
    const pool = open(1, 20_000);
    expect(output(await pool.run(jobs('answers', 'floods', 'answers')))).toEqual([
      0,
      'took too much memory',
      2,
    ]);
    expect(output(await pool.run(jobs('answers', 'leaves', 'answers')))).toEqual([
      0,
      expect.stringMatching(/thread/),
      2,
    ]);
    expect(output(await pool.run(jobs('answers')))).toEqual([0]);
  });

  it('does not mistake a wait between two posts, or a busy service, for a long job', async () => {
    const pool = open(1);
    for (let round = 0; round < 3; round += 1) {
      const answered = pool.run(jobs('answers', 'answers'));
      const until = performance.now() + 400;
      while (performance.now() < until);
      expect(output(await answered)).toEqual([0, 1]);
    }
  });

  it('takes many posts at once, within its number of threads', async () => {
    const pool = open(2);
    const batches = await Promise.all(
      Array.from({ length: 50 }, () => pool.run(jobs('answers', 'answers', 'throws', 'answers'))),
    );
    for (const answers of batches) expect(output(answers)).toEqual([0, 1, 'cannot', 3]);
    expect(threadsOf(batches.flat()).size).toBeLessThanOrEqual(2);
  });

  it('answers open jobs when it closes', async () => {
    const pool = open(1);
    const batches = [pool.run(jobs('loops', 'answers')), pool.run(jobs('answers'))];
    await pool.close();
    expect((await Promise.all(batches)).flatMap(output)).toEqual(Array(3).fill('the service is ending'));
    expect(output(await pool.run(jobs('answers')))).toEqual(['the service is ending']);
  });

  it('fails where its module cannot be loaded', async () => {
    const pool = new WorkerPool<FaultyJob, FaultyReply>({ module: '/nowhere/nothing.js', threads: 1 });
    const [answer] = await pool.run(jobs('answers'));
    expect(answer).toBeInstanceOf(JobAbandoned);
    await pool.close();
  });
});
