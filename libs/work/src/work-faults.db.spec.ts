import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@posthorn/database';
import { DatabaseLine, eventually, lockWaiters } from '@posthorn/testing';
import { scriptedWork, type Script, type ScriptedPayload } from './testing/scripted.work.js';
import { rowsOf, untilDone, WorkSuite, type WorkProcess } from './testing/work-suite.js';
import { WorkerProcesses } from './testing/worker-fleet.js';
import { work } from './queue/work-kind.js';

const leaseMs = 2_000;

let suite: WorkSuite;
let processes: WorkerProcesses;
beforeAll(async () => {
  suite = await WorkSuite.open();
});
afterAll(() => suite.close());
afterEach(() => suite.stopAll());

const kindOf = (options: Parameters<typeof work>[1] = {}) => work(`contacts.${newId()}`, options);

/** What the test itself decides the end of. */
function pending(): { promise: Promise<void>; end: () => void } {
  let end = (): void => undefined;
  const promise = new Promise<void>((resolve) => (end = resolve));
  return { promise, end: () => end() };
}

describe('a worker process', () => {
  beforeEach(() => {
    processes = new WorkerProcesses({ databaseUrl: suite.clone.url, natsUrl: suite.nats.url, leaseMs });
  });
  afterEach(() => processes.stop());

  const enqueue = async ({ queue }: WorkProcess, scripts: Script[]): Promise<string[]> => {
    const projectId = newId();
    const payloads = scripts.map((script): ScriptedPayload => ({ script, name: newId(), step: 0 }));
    await queue.enqueue(
      scriptedWork,
      payloads.map((payload) => ({ projectId, payload })),
    );
    return payloads.map(({ name }) => name);
  };
  const counted = async (
    { database }: WorkProcess,
    table: 'runs' | 'effects' | 'kills' | 'deaths',
    names: string[],
  ): Promise<number> => (await database.query(`SELECT 1 FROM ${table} WHERE item = ANY($1)`, [names])).length;

  it('that stalls for longer than its lease completes no item that another worker has completed', async () => {
    const client = await suite.process();
    await processes.start(1);
    const names = await enqueue(client, [{ does: 'takes its time', ms: 5_000 }]);
    await eventually(async () => (await counted(client, 'runs', names)) === 1, 'it is under way');
    processes.signal(0, 'SIGSTOP');
    const other = await suite.startWith(scriptedWork, async (batch, { database }) => {
      await database.transaction(async () => {
        await database.query(`INSERT INTO effects (item, step) VALUES ($1, 1)`, [
          batch.items[0]!.payload.name,
        ]);
        await batch.complete();
      });
    });
    await untilDone(other, scriptedWork);
    processes.signal(0, 'SIGCONT');
    await processes.leave(0);
    expect(await client.database.query(`SELECT step FROM effects WHERE item = ANY($1)`, [names])).toEqual([
      { step: 1 },
    ]);
  });

  it('that is killed loses its items to another one soon after its lease', async () => {
    const client = await suite.process();
    await processes.start(1);
    const names = await enqueue(
      client,
      Array.from({ length: 10 }, () => ({ does: 'takes its time', ms: 60_000 })),
    );
    await eventually(async () => (await counted(client, 'runs', names)) === 10, 'they are under way');
    const [lease] = await client.database.query<{ expiresAt: Date }>(
      `SELECT expires_at AS "expiresAt" FROM work_workers WHERE id IN (SELECT worker_id FROM work_items WHERE kind = $1)`,
      [scriptedWork.name],
    );
    const times: Date[] = [];
    const other = await suite.startWith(scriptedWork, async (_, { database }) => {
      times.push((await database.query<{ at: Date }>('SELECT clock_timestamp() AS at'))[0]!.at);
    });
    // A look that finds the other's lease: from then on this one knows when to look again.
    await other.database.transaction(async () => undefined);
    const killedAt = performance.now();
    await processes.stop();
    await untilDone(other, scriptedWork);
    expect(times).toHaveLength(10);
    expect(times[0]!.getTime()).toBeGreaterThanOrEqual(lease!.expiresAt.getTime());
    // Without that look it would be half a minute.
    expect(performance.now() - killedAt).toBeLessThan(15_000);
  });

  it('that one item of ten kills three times gives that item up and completes the others', async () => {
    const client = await suite.process();
    const nine = Array.from({ length: 9 }, (): Script => ({ does: 'succeeds' }));
    const names = await enqueue(client, [
      ...nine.slice(0, 4),
      { does: 'kills its process' },
      ...nine.slice(4),
    ]);
    await processes.start(2);
    await eventually(
      async () => (await rowsOf(client, scriptedWork)).every(({ state }) => state === 'DEAD'),
      'all has its outcome',
      40_000,
    );
    const deadly = names.splice(4, 1);
    expect(
      await Promise.all(
        ['kills', 'deaths', 'effects'].map((table) => counted(client, table as 'kills', deadly)),
      ),
    ).toEqual([3, 1, 0]);
    expect(
      await Promise.all(['effects', 'deaths'].map((table) => counted(client, table as 'effects', names))),
    ).toEqual([9, 0]);
    expect(processes.deaths).toBe(3);
  });
});

describe('a worker that is told to stop', () => {
  it('finishes running batches and releases the rest, which another one runs at once', async () => {
    const kind = kindOf({ batch: 5 });
    const first = pending();
    const done: string[] = [];
    const options = { leaseMs: 60_000 };
    const run = async () => {
      await first.promise;
      done.push('going');
    };
    const going = await suite.startWith(kind, run, options);
    await going.database.query('DELETE FROM work_workers');
    await going.queue.enqueue(
      kind,
      Array.from({ length: 5 }, () => ({ projectId: newId() })),
    );
    await eventually(
      async () => (await rowsOf(going, kind)).every(({ state }) => state === 'CLAIMED'),
      'all are claimed',
    );
    const other = await suite.startWith(kind, async () => void done.push('other'), options);
    const stopped = suite.stop(going);
    await eventually(async () => done.length === 4, 'the other one does the rest', 10_000);
    first.end();
    await stopped;
    await untilDone(other, kind);
    expect(done).toEqual(['other', 'other', 'other', 'other', 'going']);
  });

  it('postpones work in steps, which another one continues at once', async () => {
    const kind = kindOf();
    const begun = pending();
    const options = { leaseMs: 60_000 };
    const going = await suite.startWith(
      kind,
      async (batch) => {
        begun.end();
        await eventually(async () => batch.stopping, 'it is to stop');
        await batch.continueLater(batch.items);
      },
      options,
    );
    await going.queue.enqueue(kind, [{ projectId: newId() }]);
    await begun.promise;
    let runs = 0;
    const other = await suite.startWith(kind, async () => void (runs += 1), options);
    await suite.stop(going);
    await eventually(async () => runs === 1, 'the other one goes on', 10_000);
    await untilDone(other, kind);
  });

  it('releases suspects, which stay suspects', async () => {
    const [busy, kind] = [kindOf(), kindOf()];
    const first = pending();
    const going = await suite.startWith(busy, () => first.promise);
    going.runner.register(kind, { run: () => Promise.resolve() });
    await going.queue.enqueue(busy, [{ projectId: newId() }]);
    await eventually(async () => (await rowsOf(going, busy))[0]?.state === 'CLAIMED', 'one is under way');
    await going.queue.enqueue(kind, [{ projectId: newId(), delayMs: 60_000 }]);
    await going.database.query(`UPDATE work_items SET state = 'SUSPECT', claims = 2 WHERE kind = $1`, [
      kind.name,
    ]);
    await going.queue.enqueue(busy, [{ projectId: newId() }]);
    await eventually(
      async () => (await rowsOf(going, kind))[0]?.state === 'CLAIMED',
      'it waits for the other one',
    );
    const client = await suite.process();
    const stopped = suite.stop(going);
    const [row] = await eventually(async () => {
      const rows = await rowsOf(client, kind);
      return rows[0]?.state === 'SUSPECT' && rows;
    }, 'it is given back');
    expect(row!.claims).toBe(2);
    first.end();
    await stopped;
    expect((await rowsOf(client, kind))[0]!.state).toBe('SUSPECT');
  });
});

describe('the query of the queue at rest', () => {
  it('is not blocked by an expired worker whose row is locked, and removes it afterwards', async () => {
    const kind = kindOf();
    const client = await suite.process();
    const expired = newId();
    await client.database.query(
      `INSERT INTO work_workers (id, expires_at) VALUES ($1, now() - interval '1 second')`,
      [expired],
    );
    const countExpired = async (): Promise<number> =>
      (await client.database.query(`SELECT 1 FROM work_workers WHERE id = $1`, [expired])).length;
    await client.database.transaction(async () => {
      await client.database.query(`SELECT 1 FROM work_workers WHERE id = $1 FOR UPDATE`, [expired]);
      await client.database.apart(async () => {
        await client.queue.enqueue(kind, [{ projectId: newId() }]);
        await untilDone(await suite.startWith(kind, () => Promise.resolve()), kind);
        expect(await countExpired()).toBe(1);
      });
    });
    await client.queue.enqueue(kind, [{ projectId: newId() }]);
    await untilDone(client, kind);
    await eventually(async () => (await countExpired()) === 0, 'the expired worker is removed');
  });

  it('is not blocked by a worker that stalls within a transaction, and takes its item back once that has ended', async () => {
    const [held, kind] = [kindOf(), kindOf()];
    const client = await suite.process();
    for (const each of [held, kind]) await client.queue.enqueue(each, [{ projectId: newId() }]);
    const removed = newId();
    await client.database.query(
      `INSERT INTO work_workers (id, expires_at) VALUES ($1, now() - interval '1 second')`,
      [removed],
    );
    await client.database.query(
      `UPDATE work_items SET state = 'CLAIMED', worker_id = $1, claims = 1 WHERE kind = $2`,
      [removed, held.name],
    );
    await client.database.transaction(async () => {
      await client.database.query(`SELECT 1 FROM work_items WHERE kind = $1 FOR UPDATE`, [held.name]);
      const worker = await suite.startWith(kind, () => Promise.resolve());
      worker.runner.register(held, { run: () => Promise.resolve() });
      await client.database.apart(() => untilDone(worker, kind));
    });
    await untilDone(client, held);
  });
});

describe('a claim whose answer is lost', () => {
  it('is released long before its lease expires', async () => {
    const line = await DatabaseLine.open(suite.clone.url);
    const kind = kindOf();
    const client = await suite.process();
    let runs = 0;
    const worker = await suite.startWith(kind, async () => void (runs += 1), {
      url: line.url,
      leaseMs: 120_000,
    });
    await client.queue.enqueue(kind, [{ projectId: newId() }]);
    await untilDone(client, kind);
    await client.database.transaction(async () => {
      // Its next claim waits for its own lease.
      await client.database.query(`SELECT 1 FROM work_workers FOR UPDATE`);
      await client.database.apart(() => client.queue.enqueue(kind, [{ projectId: newId() }]));
      await eventually(
        async () => (await lockWaiters(client.database, { statement: 'WITH RECURSIVE turn' })).length > 0,
        'it claims',
      );
      line.cut();
    });
    await eventually(
      async () => (await rowsOf(client, kind))[0]?.state === 'CLAIMED',
      'the claim is committed',
    );
    line.fix();
    await untilDone(client, kind);
    expect(runs).toBe(2);
    await suite.stop(worker);
    await line.close();
  });
});
