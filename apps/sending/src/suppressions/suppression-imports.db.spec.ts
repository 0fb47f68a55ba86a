import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  suppressionEvents,
  suppressionImports,
  suppressions,
  type Caller,
  type SuppressionImport,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite();
});
afterAll(() => suite.stop());

const start = (caller: Caller, csv: string) => suite.bus.call(suppressionImports.start, caller, { csv });
const ended = (caller: Caller, { id }: SuppressionImport) =>
  eventually(
    async () => {
      const now = await suite.bus.call(suppressionImports.get, caller, { id }).catch(() => null);
      return now?.finishedAt ? now : null;
    },
    'the import ends',
    50_000,
  );
const addresses = (count: number, of = 'list') =>
  Array.from({ length: count }, (_, index) => `r${index}@${of}.example`);
const published = async (projectId: string) => {
  const [row] = await suite.database.query<{ count: number }>(
    `SELECT coalesce(sum(jsonb_array_length(items::jsonb)), 0)::int AS count FROM outbox WHERE project_id = $1 AND event_name = $2`,
    [projectId, suppressionEvents.added.name],
  );
  return row!.count;
};

describe('an import of suppressions', () => {
  it('adds each address once with an event, and keeps existing suppressions', async () => {
    const { caller, projectId } = await suite.buildProject();
    await suite.bus.call(suppressions.put, caller, { email: 'r7@list.example', reason: 'COMPLAINT' });
    const rows = addresses(2_500).map((email, index) =>
      index === 3 ? 'no address,MANUAL' : `${email},HARD_BOUNCE`,
    );
    const begun = await start(caller, ['email,reason', ...rows, rows[0]].join('\n'));
    expect(begun).toMatchObject({ status: 'QUEUED', total: 2_501, processed: 0, finishedAt: null });
    const done = await ended(caller, begun);
    expect(done).toMatchObject({
      status: 'COMPLETED',
      total: 2_501,
      processed: 2_501,
      created: 2_498,
      updated: 0,
      skipped: 2,
      failed: 1,
    });
    expect(await suite.bus.call(suppressions.get, caller, { email: 'r7@list.example' })).toMatchObject({
      reason: 'COMPLAINT',
    });
    expect(await suite.bus.call(suppressions.get, caller, { email: 'r8@list.example' })).toMatchObject({
      reason: 'HARD_BOUNCE',
      source: 'API',
    });
    expect(await published(projectId)).toBe(2_499);
    const [row] = await suite.database.query<{ csv: string }>(
      `SELECT csv FROM suppression_imports WHERE id = $1`,
      [begun.id],
    );
    expect(row!.csv).toBe('');
  });

  it('continues at its position after a restart, and counts nothing twice', async () => {
    const { caller, projectId } = await suite.buildProject();
    const begun = await start(caller, ['email', ...addresses(20_000, 'long')].join('\n'));
    await eventually(async () => {
      const { processed } = await suite.bus.call(suppressionImports.get, caller, { id: begun.id });
      return processed > 0;
    }, 'it began');
    await suite.restart();
    const done = await ended(caller, begun);
    expect(done).toMatchObject({
      status: 'COMPLETED',
      processed: 20_000,
      created: 20_000,
      skipped: 0,
      failed: 0,
    });
    expect(await published(projectId)).toBe(20_000);
  });

  it('fails at a malformed row, and keeps the rows before it', async () => {
    const { caller } = await suite.buildProject();
    const begun = await start(caller, `email\n${addresses(1_500, 'torn').join('\n')}\n"open`);
    expect(await ended(caller, begun)).toMatchObject({
      status: 'FAILED',
      total: 1_500,
      processed: 1_500,
      created: 1_500,
    });
    await expect(start(caller, 'name\nAda')).rejects.toMatchObject({ kind: 'invalid' });
  });

  it('fails visibly if it can never be stored', async () => {
    const { caller } = await suite.buildProject();
    await suite.database.query(
      `ALTER TABLE suppressions ADD CONSTRAINT nobody CHECK (email <> 'r0@never.example') NOT VALID`,
    );
    const begun = await start(caller, addresses(3, 'never').join('\n'));
    const fails = () =>
      suite.database.query(
        `UPDATE work_items SET failures = 99 WHERE key = $1 AND failures > 0 RETURNING id`,
        [begun.id],
      );
    await eventually(async () => (await fails()).length > 0, 'it was tried');
    expect(await ended(caller, begun)).toMatchObject({ status: 'FAILED', processed: 0, created: 0 });
    await suite.database.query(`ALTER TABLE suppressions DROP CONSTRAINT nobody`);
  });

  it('is visible to its project only', async () => {
    const [{ caller }, outsider] = [await suite.buildProject(), await suite.buildProject()];
    const begun = await start(caller, 'ada@example.com');
    for (const id of [begun.id, newId()]) {
      await expect(suite.bus.call(suppressionImports.get, outsider.caller, { id })).rejects.toMatchObject({
        kind: 'not_found',
      });
    }
    await ended(caller, begun);
  });

  it('is one of twenty unfinished ones at most, even if they start together', async () => {
    const { caller, projectId } = await suite.buildProject();
    await suite.database.query(
      `INSERT INTO suppression_imports (project_id, id, csv, source, total, status)
       SELECT $1, uuidv7(), 'email', 'API', 0, 'QUEUED' FROM generate_series(1, 18)`,
      [projectId],
    );
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, () => start(caller, `email\n${addresses(2_000).join('\n')}`)),
    );
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    // Those that ended meanwhile make room for others.
    expect(refused.length).toBeGreaterThanOrEqual(1);
    for (const { reason } of refused as PromiseRejectedResult[])
      expect(reason).toMatchObject({
        kind: 'conflict',
        message: 'A project may have at most 20 unfinished imports of suppressions',
      });
  });
});
