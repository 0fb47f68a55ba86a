import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@posthorn/database';
import { eventually, lockWaiters } from '@posthorn/testing';
import { rowsOf, untilDone, WorkSuite, type WorkProcess } from './testing/work-suite.js';
import { LeaseLost } from './runner/work-batch.js';
import { work, type WorkKind } from './queue/work-kind.js';

interface Numbered {
  n: number;
}

describe('the outcome of an item', () => {
  let suite: WorkSuite;
  beforeAll(async () => {
    suite = await WorkSuite.open();
  });
  afterAll(() => suite.close());
  afterEach(() => suite.stopAll());

  const kindOf = (options: Parameters<typeof work>[1] = {}) => work<Numbered>(`contacts.${newId()}`, options);
  const at = (seconds: number) => new Date(Date.UTC(2100, 0, 1, 0, 0, seconds));

  it('is retried with doubling delays and then dead, of which its handler is notified once', async () => {
    const kind = kindOf({ retry: { attempts: 5, firstMs: 100, maxMs: 300 } });
    const times: number[] = [];
    const dead: string[] = [];
    const run = async () => {
      times.push(performance.now());
      throw new Error(`try ${times.length}`);
    };
    const worker = await suite.startWith(kind, run, { dead: async (_, error) => void dead.push(error) });
    const delays = await delaysOf(worker, kind);
    await worker.queue.enqueue(kind, [{ projectId: newId() }]);
    await eventually(async () => (await rowsOf(worker, kind))[0]?.state === 'DEAD', 'it is given up');
    const waits = times.slice(1).map((time, index) => time - times[index]!);
    const written = await delays();
    [100, 200, 300, 300].forEach((wait, index) => {
      expect(waits[index]).toBeGreaterThan(wait * 0.95);
      expect(written[index]).toBeGreaterThanOrEqual(wait);
      expect(written[index]).toBeLessThanOrEqual(wait * 1.1 + 1);
    });
    expect(await rowsOf(worker, kind)).toMatchObject([{ state: 'DEAD', failures: 5, error: 'try 5' }]);
    expect(dead).toEqual(['try 5']);
  });

  it('is not dead when it was enqueued again during its last attempt', async () => {
    const kind = kindOf({ retry: { attempts: 1, firstMs: 10, maxMs: 10 } });
    const again = [{ projectId: newId(), key: 'one' }];
    let runs = 0;
    const dead: string[] = [];
    const worker = await suite.startWith(
      kind,
      async (_, { queue }) => {
        runs += 1;
        if (runs > 1) return;
        await queue.enqueue(kind, again);
        throw new Error('the last try');
      },
      { dead: async (_, error) => void dead.push(error) },
    );
    await worker.queue.enqueue(kind, again);
    await untilDone(worker, kind);
    expect([runs, dead]).toEqual([2, []]);
  });

  it('is tried again where the handler cannot record its death', async () => {
    const kind = kindOf({ retry: { attempts: 1, firstMs: 10, maxMs: 10 } });
    let refusals = 0;
    const run = () => Promise.reject(new Error('no'));
    const dead = async () => {
      if ((refusals += 1) === 1) throw new Error('not visible');
    };
    const worker = await suite.startWith(kind, run, { dead });
    await worker.queue.enqueue(kind, [{ projectId: newId() }]);
    await eventually(
      async () => (await rowsOf(worker, kind)).every(({ state }) => state === 'DEAD'),
      'it is given up',
    );
    expect(refusals).toBe(2);
  });

  it('does not affect others: the neighbours of a cancelled item complete', async () => {
    const kind = kindOf({ batch: 10 });
    const projectId = newId();
    const sizes: number[] = [];
    const worker = await suite.process();
    await worker.queue.enqueue(
      kind,
      Array.from({ length: 10 }, (_, n) => ({ projectId, key: `key ${n}`, payload: { n } })),
    );
    // The other work of this process keeps its lease alive all the time.
    const endless = kindOf();
    let end = (): void => undefined;
    worker.runner.register(endless, { run: () => new Promise<void>((resolve) => (end = resolve)) });
    await worker.queue.enqueue(endless, [{ projectId }]);
    worker.runner.register(kind, {
      run: async (batch) => {
        sizes.push(batch.items.length);
        if (sizes.length === 1) await worker.queue.cancel(kind, projectId, 'key 3');
        await worker.database.transaction(async () => {
          for (const item of batch.items)
            await worker.database.query(`INSERT INTO effects (item) VALUES ($1)`, [item.id]);
          await batch.complete();
        });
      },
    });
    worker.start();
    await untilDone(worker, kind);
    end();
    expect(sizes).toEqual([10, 9]);
    expect(await worker.database.query(`SELECT 1 FROM effects`)).toHaveLength(9);
  });

  it('keeps the step that was committed where the next one is rolled back', async () => {
    const kind = kindOf({ batch: 2, retry: { attempts: 3, firstMs: 10, maxMs: 10 } });
    const projectId = newId();
    const steps: number[] = [];
    let isFirst = true;
    const worker = await suite.startWith(kind, async (batch, { database }) => {
      await database.transaction(async () => {
        for (const item of batch.items) {
          if (item.payload.n < 2) await batch.hold(item, { n: item.payload.n + 1 });
        }
        if (isFirst) {
          isFirst = false;
          throw new Error('rolled back');
        }
        for (const { payload } of batch.items) database.afterCommit(() => steps.push(payload.n));
        await batch.continueLater(batch.items.filter(({ payload }) => payload.n < 2));
        await batch.complete(batch.items.filter(({ payload }) => payload.n === 2));
      });
    });
    await worker.queue.enqueue(kind, [
      { projectId, payload: { n: 0 } },
      { projectId, payload: { n: 0 } },
    ]);
    await untilDone(worker, kind);
    await eventually(async () => steps.length >= 6, 'every commit is noticed');
    expect(steps.sort()).toEqual([0, 0, 1, 1, 2, 2]);
  });

  it('is refused for a call that took too long, also while a part of its batch is retried', async () => {
    const kind = kindOf({ batch: 2, timeoutMs: 1_500 });
    const projectId = newId();
    const seen: number[] = [];
    let late: Promise<unknown> | undefined;
    let retried = (): void => undefined;
    const isRetried = new Promise<void>((resolve) => (retried = resolve));
    const worker = await suite.startWith(kind, async (batch, { database }) => {
      if (late) {
        retried();
        seen.push(...batch.items.map(({ payload }) => payload.n));
        await late;
        return;
      }
      late = database.transaction(async () => {
        await isRetried;
        // As a statement would that was on its way when the time was over.
        const rows = await database.query(
          `UPDATE work_items SET payload = '{"n": 9}' WHERE id = $1 AND lease_token = $2 RETURNING id`,
          [batch.items[0]!.id, (batch.items[0] as unknown as { leaseToken: number }).leaseToken],
        );
        return rows.length;
      });
      await late;
    });
    await worker.queue.enqueue(
      kind,
      [0, 1].map((n) => ({ projectId, payload: { n } })),
    );
    await untilDone(worker, kind);
    expect(await late).toBe(0);
    expect(new Set(seen)).toEqual(new Set([0, 1]));
  });

  it('keeps the earlier of two times for a claimed item', async () => {
    const kind = kindOf();
    const projectId = newId();
    const enqueued = (second: number) => [{ projectId, key: 'one', dueAt: at(second) }];
    const worker = await suite.startWith(kind, async (_, { queue }) => {
      for (const second of [20, 10, 30]) await queue.enqueue(kind, enqueued(second));
    });
    await worker.queue.enqueue(kind, [{ projectId, key: 'one' }]);
    const [row] = await eventually(async () => {
      const rows = await rowsOf(worker, kind);
      return rows[0]?.state === 'WAITING' && rows;
    }, 'it waits');
    expect(row!.dueAt).toEqual(at(10));
  });

  it('is not paused forever when it is enqueued while its pause is lifted', async () => {
    const kind = kindOf();
    const projectId = newId();
    const worker = await suite.startWith(kind, () => Promise.resolve());
    await worker.queue.pause(kind, projectId);
    let resumed: Promise<void> | undefined;
    await worker.database.transaction(async () => {
      await worker.queue.enqueue(kind, [{ projectId, key: 'new' }]);
      resumed = worker.database.apart(() => worker.queue.resume(kind, projectId));
      await eventually(
        async () => (await lockWaiters(worker.database)).length > 0 || isOver(resumed!),
        'it waits',
      );
    });
    await resumed;
    await untilDone(worker, kind);
    // And one that is there already, and held by somebody at this moment.
    await worker.queue.pause(kind, projectId);
    await worker.queue.enqueue(kind, [{ projectId, key: 'old' }]);
    await worker.database.transaction(async () => {
      await worker.database.query(`SELECT 1 FROM work_items WHERE kind = $1 FOR UPDATE`, [kind.name]);
      resumed = worker.database.apart(() => worker.queue.resume(kind, projectId));
      await eventually(
        async () => (await lockWaiters(worker.database)).length > 0 || isOver(resumed!),
        'it waits',
      );
    });
    await resumed;
    await untilDone(worker, kind);
  });

  it('is an error within a transaction that has lost its item', async () => {
    const kind = kindOf();
    const projectId = newId();
    const errors: unknown[] = [];
    const worker = await suite.startWith(kind, async (batch, { queue, database }) => {
      await queue.cancel(kind, projectId, 'one');
      for (const write of [
        () => batch.hold(batch.items[0]!),
        () => batch.continueLater(batch.items),
        () => batch.postpone(batch.items, 10),
        () => batch.complete(),
      ])
        errors.push(await database.transaction(write).catch((error: unknown) => error));
    });
    await worker.queue.enqueue(kind, [{ projectId, key: 'one' }]);
    await eventually(async () => errors.length === 4, 'all is refused');
    for (const error of errors) expect(error).toBeInstanceOf(LeaseLost);
  });
});

/** The milliseconds for which each failure puts the items off, as the database writes them down. */
async function delaysOf({ database }: WorkProcess, kind: WorkKind): Promise<() => Promise<number[]>> {
  await database.query(`
    CREATE TABLE delays (failures int, ms float8);
    CREATE FUNCTION write_delay() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO delays VALUES (NEW.failures, extract(epoch FROM NEW.due_at - now()) * 1000);
      RETURN NULL;
    END $$;
    CREATE TRIGGER write_delay AFTER UPDATE ON work_items FOR EACH ROW
      WHEN (NEW.kind = '${kind.name}' AND NEW.failures > OLD.failures) EXECUTE FUNCTION write_delay()`);
  return async () => {
    const rows = await database.query<{ ms: number }>('SELECT ms FROM delays ORDER BY failures');
    return rows.map(({ ms }) => ms);
  };
}

const isOver = (work: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    work.then(() => true),
    new Promise<boolean>((resolve) => setImmediate(() => resolve(false))),
  ]);
