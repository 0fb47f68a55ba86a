import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { ClaimsRepository } from './queue/claims.repository.js';
import { untilDone, WorkSuite } from './testing/work-suite.js';
import { work } from './queue/work-kind.js';

describe('the shares of projects', () => {
  let suite: WorkSuite;
  beforeAll(async () => {
    suite = await WorkSuite.open();
  });
  afterAll(() => suite.close());
  afterEach(() => suite.stopAll());

  const kindOf = (options: Parameters<typeof work>[1] = {}) => work(`contacts.${newId()}`, options);

  it('are even: ten items beside 50,000 of another project complete within the first two claims', async () => {
    const kind = kindOf({ batch: 20 });
    const [large, small] = [newId(), newId()];
    const order: string[] = [];
    const worker = await suite.process();
    await worker.database.query(
      `INSERT INTO work_items (id, kind, project_id, state, due_at)
       SELECT gen_random_uuid(), $1, $2, 'READY', now() - interval '1 hour' FROM generate_series(1, 50000)`,
      [kind.name, large],
    );
    await worker.queue.enqueue(
      kind,
      Array.from({ length: 10 }, () => ({ projectId: small })),
    );
    worker.runner.register(kind, {
      run: async ({ items }) => void order.push(...items.map(({ projectId }) => projectId)),
    });
    worker.start();
    await eventually(
      async () => order.filter((projectId) => projectId === small).length === 10,
      'the ten are done',
    );
    expect(order.lastIndexOf(small)).toBeLessThan(2 * kind.batch);
  });

  it.each([
    ['one item at a time', {}],
    ['one item of a project at a time', { exclusive: true }],
    ['one item of a project while none of it is claimed', { spread: true }],
  ])('come in turns where a claim takes %s', async (_, options) => {
    const kind = kindOf(options);
    const projects = Array.from({ length: 4 }, newId);
    const order: number[] = [];
    const worker = await suite.process();
    await worker.queue.enqueue(
      kind,
      projects.flatMap((projectId) => [{ projectId }, { projectId }, { projectId }]),
    );
    worker.runner.register(kind, {
      run: async ({ projectId }) => void order.push(projects.indexOf(projectId)),
    });
    worker.start();
    await untilDone(worker, kind);
    for (const round of [0, 4, 8]) expect(order.slice(round, round + 4).sort()).toEqual([0, 1, 2, 3]);
  });

  it('leave places to others where the items of one project take long and the kind is spread', async () => {
    const kind = kindOf({ spread: true, concurrency: 2 });
    const [slow, other] = [newId(), newId()];
    let release: (() => void) | undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const begun: string[] = [];
    const worker = await suite.process();
    worker.runner.register(kind, {
      run: async ({ projectId }) => {
        begun.push(projectId);
        if (projectId === slow) await released;
      },
    });
    worker.start();
    await worker.queue.enqueue(
      kind,
      Array.from({ length: 3 }, () => ({ projectId: slow })),
    );
    await eventually(async () => begun.length > 0, 'the first one runs');
    await worker.queue.enqueue(kind, [{ projectId: other }]);
    await eventually(async () => begun.includes(other), 'the other project has a place');
    expect(begun).toEqual([slow, other]);
    release!();
    await untilDone(worker, kind);
    expect(begun).toHaveLength(4);
  });

  it('leave a reserved place to others where batches of one project take long', async () => {
    const kind = kindOf({ reserved: 1, concurrency: 3, batch: 2 });
    const [slow, other] = [newId(), newId()];
    let release: (() => void) | undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const begun: string[] = [];
    const worker = await suite.process();
    worker.runner.register(kind, {
      run: async ({ projectId, items }) => {
        begun.push(...items.map(() => projectId));
        if (projectId === slow) await released;
      },
    });
    worker.start();
    await worker.queue.enqueue(
      kind,
      Array.from({ length: 9 }, () => ({ projectId: slow })),
    );
    await eventually(async () => begun.length === 4, 'it has two of three places');
    await worker.queue.enqueue(kind, [{ projectId: other }]);
    await eventually(async () => begun.includes(other), 'the other project has a place');
    expect(begun).toEqual([slow, slow, slow, slow, other]);
    release!();
    await untilDone(worker, kind);
    expect(begun).toHaveLength(10);
  });

  it('do not let the second item of an exclusive project overtake a first one that another process is claiming', async () => {
    const kind = kindOf({ exclusive: true });
    const projectId = newId();
    const { database, queue } = await suite.process();
    for (const n of [1, 2]) await queue.enqueue(kind, [{ projectId, payload: { n } }]);
    const claims = new ClaimsRepository(database);
    const claimed = async () =>
      (
        await claims.claim({ kind, limit: 4, worker: { id: newId(), leaseMs: 60_000 }, afterProject: null })
      ).items.map(({ payload }) => payload);
    await database.transaction(async () => {
      await database.query(
        `SELECT id FROM work_items WHERE kind = $1 ORDER BY due_at, id LIMIT 1 FOR UPDATE`,
        [kind.name],
      );
      expect(await database.apart(claimed)).toEqual([]);
    });
    expect(await claimed()).toEqual([{ n: 1 }]);
  });

  it('reach the last of 200 projects that all have more items than a claim takes', async () => {
    const kind = kindOf({ batch: 10, mixed: true });
    const projects = Array.from({ length: 200 }, newId);
    const seen = new Set<string>();
    let items = 0;
    const worker = await suite.process();
    await worker.queue.enqueue(
      kind,
      projects.flatMap((projectId) => Array.from({ length: 3 }, () => ({ projectId }))),
    );
    worker.runner.register(kind, {
      run: async (batch) => {
        for (const { projectId } of batch.items) {
          if (seen.size < 200) items += 1;
          seen.add(projectId);
        }
      },
    });
    worker.start();
    await eventually(async () => seen.size === 200, 'each has had its turn');
    expect(items).toBe(200);
  });
});
