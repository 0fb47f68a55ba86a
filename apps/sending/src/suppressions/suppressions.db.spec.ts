import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { suppressions, type Caller, type Suppression } from '@posthorn/contracts';
import { startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite();
});
afterAll(() => suite.stop());

const put = (caller: Caller, email: string, reason?: Suppression['reason']) =>
  suite.bus.call(suppressions.put, caller, { email, ...(reason ? { reason } : {}) });
const everyPage = async (caller: Caller, query: { limit?: number; reason?: Suppression['reason'] }) => {
  const emails: string[] = [];
  let page = await suite.bus.call(suppressions.list, caller, query);
  for (;;) {
    emails.push(...page.items.map(({ email }) => email));
    if (!page.next) return emails;
    page = await suite.bus.call(suppressions.list, caller, { ...query, after: page.next });
  }
};

describe('suppressions', () => {
  it('keep the first reason and source, and are published once', async () => {
    const { caller, projectId } = await suite.buildProject();
    const first = await put(caller, 'ada@example.com', 'COMPLAINT');
    expect(first).toMatchObject({ email: 'ada@example.com', reason: 'COMPLAINT', source: 'API' });
    expect(await put({ ...caller, actor: { kind: 'USER', id: 'u' } }, 'ada@example.com', 'MANUAL')).toEqual(
      first,
    );
    expect(await suite.bus.call(suppressions.get, caller, { email: 'ada@example.com' })).toEqual(first);
    const events = await suite.database.query(`SELECT 1 FROM outbox WHERE project_id = $1`, [projectId]);
    expect(events).toHaveLength(1);
    expect(await suite.bus.call(suppressions.remove, caller, { email: 'ada@example.com' })).toEqual({
      email: 'ada@example.com',
      deleted: true,
    });
    expect(await suite.bus.call(suppressions.remove, caller, { email: 'ada@example.com' })).toEqual({
      email: 'ada@example.com',
      deleted: false,
    });
    await expect(
      suite.bus.call(suppressions.get, caller, { email: 'ada@example.com' }),
    ).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('are listed page by page, newest first, also those with the same time, and of one project only', async () => {
    const [{ caller, projectId }, outsider] = [await suite.buildProject(), await suite.buildProject()];
    await suite.database.query(
      `INSERT INTO suppressions (project_id, email, reason, source, created_at)
       SELECT $1, 'r' || n || '@example.com', CASE WHEN n % 2 = 0 THEN 'MANUAL' ELSE 'HARD_BOUNCE' END, 'API', now() - (n / 10) * interval '1 minute'
       FROM generate_series(1, 45) AS n`,
      [projectId],
    );
    await put(outsider.caller, 'stranger@example.com');
    const all = await everyPage(caller, { limit: 7 });
    expect([all.length, new Set(all).size]).toEqual([45, 45]);
    expect(all.slice(0, 9).every((email) => Number(/\d+/.exec(email)![0]) < 10)).toBe(true);
    expect(await everyPage(caller, { limit: 7, reason: 'MANUAL' })).toHaveLength(22);
    expect(await suite.bus.call(suppressions.list, caller, { limit: 1, withTotal: true })).toMatchObject({
      total: 45,
      hasMore: true,
    });
    expect(
      await suite.bus.call(suppressions.list, caller, { limit: 1, withTotal: true, reason: 'COMPLAINT' }),
    ).toMatchObject({
      total: 0,
      items: [],
    });
  });
});
