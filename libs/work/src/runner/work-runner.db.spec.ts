import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { rowsOf, untilDone, WorkSuite } from '../testing/work-suite.js';
import { LeaseLost, type WorkBatch } from './work-batch.js';
import { work } from '../queue/work-kind.js';

interface Numbered {
  n: number;
}

describe('a worker', () => {
  let suite: WorkSuite;
  beforeAll(async () => {
    suite = await WorkSuite.open();
  });
  afterAll(() => suite.close());
  afterEach(() => suite.stopAll());

  const kindOf = (options: Parameters<typeof work>[1] = {}) => work<Numbered>(`contacts.${newId()}`, options);
  const many = (count: number, projectId = newId()) =>
    Array.from({ length: count }, (_, n) => ({ projectId, payload: { n } }));

  it('runs enqueued items in batches of one project, and none of a transaction that is rolled back', async () => {
    const kind = kindOf({ batch: 4 });
    const seen: { projectId: string; numbers: number[] }[] = [];
    const worker = await suite.startWith(kind, async ({ items, projectId }) => {
      seen.push({ projectId, numbers: items.map(({ payload }) => payload.n) });
    });
    const [a, b] = [newId(), newId()];
    await worker.database
      .transaction(async () => {
        await worker.queue.enqueue(kind, many(3));
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    await worker.queue.enqueue(kind, [...many(5, a), ...many(2, b)]);
    await untilDone(worker, kind);
    for (const project of [a, b])
      expect(
        seen.filter((each) => each.projectId === project).every(({ numbers }) => numbers.length <= 4),
      ).toBe(true);
    expect(
      seen
        .filter(({ projectId }) => projectId === a)
        .flatMap(({ numbers }) => numbers)
        .sort(),
    ).toEqual([0, 1, 2, 3, 4]);
    expect(seen).toHaveLength(new Set(seen).size);
    expect(seen.flatMap(({ numbers }) => numbers)).toHaveLength(7);
  });

  it('is woken by another process, and when an item becomes due', async () => {
    const kind = kindOf();
    const times: number[] = [];
    await suite.startWith(kind, async () => void times.push(performance.now()));
    const other = await suite.process();
    const began = performance.now();
    await other.queue.enqueue(kind, [{ projectId: newId() }]);
    await eventually(async () => times.length === 1, 'the first is done');
    expect(times[0]! - began).toBeLessThan(10_000);
    await other.queue.enqueue(kind, [{ projectId: newId(), delayMs: 300 }]);
    await eventually(async () => times.length === 2, 'the second is done');
    expect(times[1]! - times[0]!).toBeGreaterThan(250);
  });

  it('finds the failing item by halving, retries it, and gives it up after its last attempt', async () => {
    const kind = kindOf({ batch: 10, retry: { attempts: 3, firstMs: 20, maxMs: 50 } });
    const done: number[] = [];
    const dead: [number, string][] = [];
    const worker = await suite.startWith(
      kind,
      async ({ items }) => {
        if (items.some(({ payload }) => payload.n === 7)) throw new Error('seven \ud83d\0');
        done.push(...items.map(({ payload }) => payload.n));
      },
      { dead: async ({ payload }, error) => void dead.push([payload.n, error]) },
    );
    await worker.queue.enqueue(kind, many(10));
    await eventually(
      async () => (await rowsOf(worker, kind)).every(({ state }) => state === 'DEAD'),
      'one is given up',
    );
    expect(done.sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 8, 9]);
    expect(dead).toEqual([[7, 'seven \ud83d\0']]);
    expect(await rowsOf(worker, kind)).toMatchObject([
      { state: 'DEAD', payload: { n: 7 }, failures: 3, error: 'seven \ufffd' },
    ]);
  });

  it('completes an item with the effects of its handler or not at all', async () => {
    const kind = kindOf({ retry: { attempts: 5, firstMs: 10, maxMs: 10 } });
    let tries = 0;
    const worker = await suite.startWith(kind, async (batch, { database }) => {
      await database.transaction(async () => {
        await database.query(`INSERT INTO effects (item) VALUES ($1)`, [batch.items[0]!.id]);
        await batch.complete();
        tries += 1;
        if (tries < 3) throw new Error('rolled back');
      });
    });
    await worker.queue.enqueue(kind, many(1));
    await untilDone(worker, kind);
    expect(tries).toBe(3);
    expect(await worker.database.query(`SELECT 1 FROM effects`)).toHaveLength(1);
  });

  it('runs an item once more that is enqueued again while it is claimed, and cancels a claimed one', async () => {
    const kind = kindOf();
    const [again, cancelled] = [newId(), newId()];
    let runs = 0;
    let refused: unknown;
    const worker = await suite.startWith(kind, async (batch, { queue }) => {
      runs += 1;
      if (batch.items[0]!.key === 'again' && runs === 1) {
        await queue.enqueue(kind, [
          { projectId: again, key: 'again' },
          { projectId: again, key: 'again' },
        ]);
      }
      if (batch.items[0]!.key === 'cancelled') {
        expect(await queue.cancel(kind, cancelled, 'cancelled')).toBe(true);
        refused = await batch.complete().catch((error: unknown) => error);
        throw refused;
      }
    });
    await worker.queue.enqueue(kind, [{ projectId: again, key: 'again' }]);
    await untilDone(worker, kind);
    expect(runs).toBe(2);
    await worker.queue.enqueue(kind, [{ projectId: cancelled, key: 'cancelled' }]);
    expect(await eventually(async () => refused, 'its end is refused')).toBeInstanceOf(LeaseLost);
    await untilDone(worker, kind);
  });

  it('claims one item of a project at a time where the kind is exclusive, in the order of their times', async () => {
    const kind = kindOf({ exclusive: true, concurrency: 4 });
    const projectId = newId();
    const order: number[] = [];
    let running = 0;
    const run = async ({ items }: WorkBatch<Numbered>) => {
      expect((running += 1)).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(items[0]!.payload.n);
      running -= 1;
    };
    const [worker] = await Promise.all([suite.startWith(kind, run), suite.startWith(kind, run)]);
    for (const item of many(8, projectId)) await worker.queue.enqueue(kind, [item]);
    await untilDone(worker, kind);
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('treats all signals of a project as one, and a later one separately', async () => {
    const kind = kindOf({ signal: true, exclusive: true });
    const projectId = newId();
    let runs = 0;
    const process = await suite.process();
    await process.queue.enqueue(kind, many(500, projectId));
    const worker = await suite.startWith(kind, async (_, { queue }) => {
      runs += 1;
      if (runs === 1) await queue.enqueue(kind, many(10, projectId));
    });
    await untilDone(worker, kind);
    expect(runs).toBe(2);
  });

  it('claims again after the interval of the kind, and then all items that became ready in it', async () => {
    const kind = kindOf({ mixed: true, batch: 10, intervalMs: 300 });
    const starts: number[] = [];
    const sizes: number[] = [];
    const worker = await suite.startWith(kind, async ({ items }) => {
      starts.push(performance.now());
      sizes.push(items.length);
    });
    await worker.queue.enqueue(kind, many(1));
    await untilDone(worker, kind);
    await worker.queue.enqueue(kind, many(4));
    await untilDone(worker, kind);
    expect(sizes).toEqual([1, 4]);
    expect(starts[1]! - starts[0]!).toBeGreaterThanOrEqual(300);
  });

  it('claims at once, whatever the interval, after a batch that was full or continues items', async () => {
    const kind = kindOf({ mixed: true, batch: 2, intervalMs: 600_000 });
    const seen: number[][] = [];
    const worker = await suite.startWith(kind, async (batch) => {
      seen.push(batch.items.map(({ payload }) => payload.n));
      if (seen.length === 2) await batch.continueLater(batch.items);
    });
    await worker.queue.enqueue(kind, many(3));
    await untilDone(worker, kind);
    expect(seen.map((numbers) => numbers.length)).toEqual([2, 1, 1]);
  });

  it('claims nothing of a project or group that is paused, until it is resumed', async () => {
    const kind = kindOf({ batch: 10 });
    const projectId = newId();
    const seen: number[] = [];
    const worker = await suite.startWith(
      kind,
      async ({ items }) => void seen.push(...items.map(({ payload }) => payload.n)),
    );
    await worker.queue.pause(kind, projectId, 'slow');
    await worker.queue.enqueue(kind, [
      { projectId, group: 'slow', payload: { n: 1 } },
      { projectId, group: 'fast', payload: { n: 2 } },
    ]);
    await eventually(async () => (await rowsOf(worker, kind)).length === 1, 'the other group goes on');
    await worker.queue.pause(kind, projectId);
    await worker.queue.enqueue(kind, [{ projectId, group: 'fast', payload: { n: 3 } }]);
    await worker.queue.resume(kind, projectId, 'slow');
    expect((await rowsOf(worker, kind)).map(({ state }) => state)).toEqual(['PAUSED', 'PAUSED']);
    await worker.queue.resume(kind, projectId);
    await untilDone(worker, kind);
    expect(seen.sort()).toEqual([1, 2, 3]);
  });

  it('refuses the writes of a handler that took too long, and retries its item', async () => {
    const kind = kindOf({ timeoutMs: 100, retry: { attempts: 3, firstMs: 10, maxMs: 10 } });
    let late: Promise<unknown> | undefined;
    const worker = await suite.startWith(kind, async (batch) => {
      if (late) return;
      late = eventually(
        async () => (await rowsOf(worker, kind)).every(({ failures }) => failures === 1),
        'it has failed',
      )
        .then(() => batch.complete())
        .catch((error: unknown) => error);
      await late;
    });
    await worker.queue.enqueue(kind, many(1));
    await untilDone(worker, kind);
    expect(await late).toBeInstanceOf(LeaseLost);
  });
});
