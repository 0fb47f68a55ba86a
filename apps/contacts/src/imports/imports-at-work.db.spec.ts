import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contactEvents, contactImports, contacts, importPieceBytes } from '@posthorn/contracts';
import { eventually } from '@posthorn/testing';
import { startContactsSuite, type ContactsSuite } from '../testing/contacts-suite.js';
import { importWork } from './imports.repository.js';
import { addresses, importsFixture } from '../testing/imports-fixture.js';
import { listsFixture } from '../testing/lists-fixture.js';

let suite: ContactsSuite;
let imports: ReturnType<typeof importsFixture>;
beforeAll(async () => {
  suite = await startContactsSuite();
  imports = importsFixture(suite);
});
afterAll(() => suite.stop());

const table = (count: number, of?: string) =>
  ['email,plan', ...addresses(count, of).map((email) => `${email},pro`)].join('\n');
const pieceOf = (texts: string) => Buffer.from(texts).subarray(0, importPieceBytes).toString('base64');
const countOf = async (projectId: string) => {
  const [row] = await suite.database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM contacts WHERE project_id = $1`,
    [projectId],
  );
  return row!.count;
};
const bulkOf = async (projectId: string) => {
  const events = await suite.eventsOf(projectId, contactEvents.bulkCreated);
  return events.reduce((sum, { count }) => sum + count, 0);
};

describe('an import', () => {
  it('processes each row once although connections break between and within commits', async () => {
    const { caller, projectId } = suite.buildProject();
    const list = await listsFixture(suite).build(caller);
    const begun = await imports.upload(caller, table(40_000), { listId: list.id });
    for (let times = 1; times <= 5; times += 1) {
      await eventually(
        async () => {
          const now = await imports.get(caller, begun).catch(() => null);
          return now !== null && now.processed >= times * 4_000;
        },
        'it goes on',
        60_000,
      );
      await suite.database.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name <> current_setting('application_name')`,
      );
    }
    const done = await imports.ended(caller, begun);
    expect(done).toMatchObject({
      status: 'COMPLETED',
      total: 40_000,
      processed: 40_000,
      created: 40_000,
      skipped: 0,
      updated: 0,
      failed: 0,
    });
    expect(await countOf(projectId)).toBe(40_000);
    expect(await bulkOf(projectId)).toBe(40_000);
    expect(await listsFixture(suite).countOf(caller, list.id)).toBe(40_000);
  });

  it('continues at its position after a restart', async () => {
    const { caller, projectId } = suite.buildProject();
    const begun = await imports.upload(caller, table(20_000));
    await eventually(async () => (await imports.get(caller, begun)).processed > 0, 'it began');
    await suite.restart();
    expect(await imports.ended(caller, begun)).toMatchObject({
      status: 'COMPLETED',
      processed: 20_000,
      created: 20_000,
    });
    expect(await bulkOf(projectId)).toBe(20_000);
  });

  it('creates each contact once, concurrently with another import and single calls', async () => {
    const { caller, projectId } = suite.buildProject();
    const same = table(10_000);
    const jobs = await Promise.all([imports.upload(caller, same), imports.upload(caller, same)]);
    const extra = Array.from({ length: 5 }, (_, part) =>
      suite.bus.call(
        contacts.bulk,
        caller,
        {
          contacts: addresses(10_000)
            .slice(part * 2_000, part * 2_000 + 1_000)
            .reverse()
            .map((email) => ({ email })),
        },
        { timeoutMs: 20_000 },
      ),
    );
    const bulk = await Promise.all(extra);
    const done = await Promise.all(jobs.map((job) => imports.ended(caller, job)));
    expect(done.map(({ status, processed }) => [status, processed])).toEqual([
      ['COMPLETED', 10_000],
      ['COMPLETED', 10_000],
    ]);
    const created = [...done, ...bulk].reduce((sum, each) => sum + each.created, 0);
    expect(created).toBe(10_000);
    expect(await countOf(projectId)).toBe(10_000);
    expect(await bulkOf(projectId)).toBe(10_000);
  });

  it('ends between two commits when it is cancelled, and stays cancelled', async () => {
    const { caller, projectId } = suite.buildProject();
    const begun = await imports.upload(caller, table(60_000));
    await eventually(async () => (await imports.get(caller, begun)).processed > 0, 'it began');
    const cancelled = await suite.bus.call(
      contactImports.cancel,
      caller,
      { id: begun.id },
      { timeoutMs: 20_000 },
    );
    expect(cancelled).toMatchObject({ status: 'CANCELLED', finishedAt: expect.any(Date) });
    expect(cancelled.processed).toBeLessThan(60_000);
    await eventually(async () => {
      const left = await suite.database.query(`SELECT 1 FROM import_pieces WHERE import_id = $1`, [begun.id]);
      return left.length === 0;
    }, 'the file is gone');
    expect(await countOf(projectId)).toBe(cancelled.processed);
    expect(await suite.bus.call(contactImports.cancel, caller, { id: begun.id })).toMatchObject({
      status: 'CANCELLED',
    });
    const other = await imports.ended(caller, await imports.upload(caller, 'ada@x.example\n'));
    expect(await suite.bus.call(contactImports.cancel, caller, { id: other.id })).toMatchObject({
      status: 'COMPLETED',
    });
  });

  it('is not ended by a worker whose lease has expired and that finds no pieces', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id } = await suite.bus.call(contactImports.start, caller, {
      bytes: pieceOf(table(20_000)),
      last: false,
    });
    const stateOf = async () => {
      const [row] = await suite.database.query<{ status: string; state: string }>(
        `SELECT status, state FROM imports JOIN work_items ON key = imports.id::text WHERE imports.id = $1`,
        [id],
      );
      return row!;
    };
    await suite.database.transaction(async () => {
      await suite.database.query(`LOCK TABLE import_pieces IN ACCESS EXCLUSIVE MODE`);
      await suite.database.apart(async () => {
        await suite.database.query(`UPDATE imports SET status = 'QUEUED' WHERE id = $1`, [id]);
        await suite.queue.enqueue(importWork, [{ projectId, key: id }], 'REPLACE');
        await eventually(
          async () => (await stateOf()).status === 'RUNNING',
          'a worker has it, and waits for a piece',
        );
      });
      // Another worker has claimed it, and is past the position that the first one reads.
      await suite.database.query(
        `UPDATE work_items SET lease_token = lease_token + 1, worker_id = gen_random_uuid() WHERE key = $1`,
        [id],
      );
      await suite.database.query(`UPDATE imports SET position = 100000 WHERE id = $1`, [id]);
      await suite.database.query(`DELETE FROM import_pieces WHERE import_id = $1`, [id]);
    });
    // Another import shows that the worker has finished this one.
    const other = suite.buildProject();
    await imports.ended(other.caller, await imports.upload(other.caller, 'ada@x.example\n'));
    expect([await stateOf(), await countOf(projectId)]).toEqual([{ status: 'RUNNING', state: 'CLAIMED' }, 0]);
    await suite.bus.call(contactImports.cancel, caller, { id });
  });

  it('waits for other imports of its project, and takes turns with other projects', async () => {
    const [{ caller }, other] = [suite.buildProject(), suite.buildProject()];
    const long = await imports.upload(caller, table(100_000));
    await eventually(async () => (await imports.get(caller, long)).processed > 0, 'it began');
    const second = await imports.upload(caller, table(1, 'second'));
    const short = await imports.upload(other.caller, table(1, 'short'));
    expect(await imports.ended(other.caller, short)).toMatchObject({ status: 'COMPLETED' });
    expect(await imports.get(caller, long)).toMatchObject({ status: 'RUNNING' });
    expect(await imports.get(caller, second)).toMatchObject({ status: 'QUEUED' });
    await suite.bus.call(contactImports.cancel, caller, { id: long.id }, { timeoutMs: 20_000 });
    expect(await imports.ended(caller, second)).toMatchObject({ status: 'COMPLETED', created: 1 });
  });
});
