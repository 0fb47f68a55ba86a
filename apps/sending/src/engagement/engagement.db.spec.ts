import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  noProject,
  emails,
  engagement,
  maxEventBytes,
  serviceCaller,
  type Caller,
  type Engagement,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually, lockWaiters } from '@posthorn/testing';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite();
});
afterAll(() => suite.stop());

const browser =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const gateway = serviceCaller('gateway', noProject);

const record = async (...items: Engagement[]): Promise<number> =>
  (await suite.bus.call(engagement.record, gateway, { items })).recorded;

/** An e-mail that was taken by the mail server an hour ago. */
async function buildEmail(): Promise<{
  caller: Caller;
  id: string;
  seen: (overrides?: Partial<Engagement>) => Engagement;
}> {
  const { caller, domain, projectId } = await suite.buildProject();
  const { emails: accepted } = await suite.bus.call(emails.accept, caller, buildSend(domain));
  const id = accepted[0]!.id;
  await eventually(
    async () => (await suite.bus.call(emails.get, caller, { id })).status === 'DELIVERED',
    'it is delivered',
  );
  await suite.database.query(`UPDATE emails SET sent_at = now() - interval '1 hour' WHERE id = $1`, [id]);
  const plain = { kind: 'OPEN', projectId, emailId: id, position: 0, agoMs: 0, userAgent: browser } as const;
  return { caller, id, seen: (overrides = {}) => ({ ...plain, id: newId(), ...overrides }) };
}

const eventsOf = async (projectId: string, name: string): Promise<Record<string, unknown>[]> => {
  const rows = await suite.database.query<{ items: Record<string, unknown>[] }>(
    `SELECT items FROM outbox WHERE project_id = $1 AND event_name = $2 ORDER BY created_at, id`,
    [projectId, name],
  );
  return rows.flatMap(({ items }) => items);
};

async function recordSoonAfterSending(id: string, item: Engagement): Promise<void> {
  const { recorded } = await suite.database.transaction(async () => {
    await suite.database.query(`LOCK TABLE emails IN ACCESS EXCLUSIVE MODE`);
    const recorded = suite.database.apart(() => record(item));
    const [pid] = await eventually(async () => {
      const waiting = await lockWaiters(suite.database, { statement: 'WITH seen AS' });
      return waiting.length > 0 && waiting;
    }, 'it is being stored');
    await suite.database.query(
      `UPDATE emails SET sent_at = (SELECT xact_start FROM pg_stat_activity WHERE pid = $2) - interval '1 second' WHERE id = $1`,
      [id, pid],
    );
    return { recorded };
  });
  await recorded;
}

describe('opens and clicks', () => {
  it('are counted, timed and published, the first one as the first', async () => {
    const { caller, id, seen } = await buildEmail();
    const url = 'https://shop.example/';
    expect(await record(seen({ agoMs: 60_000 }), seen(), seen({ kind: 'CLICK', url, agoMs: 30_000 }))).toBe(
      3,
    );
    expect(await record(seen({ kind: 'CLICK', url }))).toBe(1);
    const email = await suite.bus.call(emails.get, caller, { id });
    expect(email).toMatchObject({ status: 'DELIVERED', opens: 2, clicks: 2 });
    const agoMs = (at: Date | null) => Date.now() - at!.getTime();
    expect(agoMs(email.openedAt)).toBeGreaterThan(59_000);
    expect(agoMs(email.clickedAt)).toBeGreaterThan(29_000);
    const { projectId } = caller;
    expect(await eventsOf(projectId, 'sending.email.opened')).toMatchObject([
      { emailId: id, to: email.to, link: null, isFirst: true, isMachine: false, sourceType: 'TRANSACTIONAL' },
      { emailId: id, isFirst: false, isMachine: false },
    ]);
    expect(
      (await eventsOf(projectId, 'sending.email.clicked')).map(({ link, isFirst }) => [link, isFirst]),
    ).toEqual([
      [url, true],
      [url, false],
    ]);
  });

  it('that are reported twice count once', async () => {
    const { caller, id, seen } = await buildEmail();
    const items = [seen(), seen({ kind: 'CLICK', url: 'https://a.example/' })];
    const counts = await Promise.all(Array.from({ length: 8 }, () => record(...items)));
    expect(counts.reduce((sum, count) => sum + count)).toBe(2);
    expect(await suite.bus.call(emails.get, caller, { id })).toMatchObject({ opens: 1, clicks: 1 });
  });

  it('have one first event, however many arrive at once', async () => {
    const { caller, seen } = await buildEmail();
    await Promise.all(Array.from({ length: 20 }, () => record(seen(), seen())));
    const published = await eventsOf(caller.projectId, 'sending.email.opened');
    expect([published.length, published.filter(({ isFirst }) => isFirst).length]).toEqual([40, 1]);
  });

  it('of two e-mails are all counted when they arrive concurrently in either order', async () => {
    const [one, other] = [await buildEmail(), await buildEmail()];
    const counts = await Promise.all(
      Array.from({ length: 40 }, (_, turn) =>
        record(...(turn % 2 ? [one.seen(), other.seen()] : [other.seen(), one.seen()])),
      ),
    );
    expect(counts).toEqual(counts.map(() => 2));
    for (const { caller, id } of [one, other])
      expect(await suite.bus.call(emails.get, caller, { id })).toMatchObject({ opens: 40 });
  });

  it('of machines are stored with their reason and not counted', async () => {
    const { caller, id, seen } = await buildEmail();
    const url = 'https://a.example/';
    await record(
      seen({ userAgent: 'curl/8.5.0' }),
      seen({ userAgent: 'Mozilla/5.0' }),
      seen({ kind: 'CLICK', url, head: true }),
    );
    await recordSoonAfterSending(id, seen());
    expect(await suite.bus.call(emails.get, caller, { id })).toMatchObject({
      opens: 0,
      clicks: 0,
      openedAt: null,
      clickedAt: null,
    });
    const rows = await suite.database.query<{ machine: string }>(
      `SELECT machine FROM engagements WHERE email_id = $1 ORDER BY machine`,
      [id],
    );
    expect(rows.map(({ machine }) => machine)).toEqual(['BOT', 'HEAD', 'PREFETCH', 'TOO_SOON']);
    const published = await eventsOf(caller.projectId, 'sending.email.opened');
    expect(published).toMatchObject(Array.from({ length: 3 }, () => ({ isMachine: true, isFirst: false })));
    expect(await suite.bus.call(engagement.links, caller, { id })).toEqual({ links: [] });
  });

  it('before the mail server has answered count as its scanner, and after the failure of one recipient as those of the others', async () => {
    const { caller, id, seen } = await buildEmail();
    const url = 'https://a.example/';
    await suite.database.query(`UPDATE emails SET sent_at = NULL, status = 'PENDING' WHERE id = $1`, [id]);
    await record(seen(), seen({ kind: 'CLICK', url }));
    expect(await suite.bus.call(emails.get, caller, { id })).toMatchObject({
      opens: 0,
      clicks: 0,
      openedAt: null,
      clickedAt: null,
    });
    const rows = await suite.database.query<{ machine: string }>(
      `SELECT machine FROM engagements WHERE email_id = $1`,
      [id],
    );
    expect(rows.map(({ machine }) => machine)).toEqual(['TOO_SOON', 'TOO_SOON']);
    await suite.database.query(`UPDATE emails SET status = 'BOUNCED' WHERE id = $1`, [id]);
    await record(seen({ kind: 'CLICK', url }));
    expect(await suite.bus.call(emails.get, caller, { id })).toMatchObject({ opens: 0, clicks: 1 });
  });

  it('of a copy are published with its recipient', async () => {
    const { caller, id, seen } = await buildEmail();
    await suite.database.query(
      `INSERT INTO deliveries (project_id, email_id, position, recipient, lane, state, expires_at, bytes) VALUES ($1, $2, 1, 'copy@example.org', 0, 'SENT', now(), 1)`,
      [caller.projectId, id],
    );
    await record(seen({ position: 1 }));
    expect(await eventsOf(caller.projectId, 'sending.email.opened')).toMatchObject([
      { to: 'copy@example.org', isFirst: true },
    ]);
  });

  it('of an unknown e-mail or of another project are ignored', async () => {
    const { caller, id, seen } = await buildEmail();
    const other = await suite.buildProject();
    expect(await record(seen({ emailId: newId() }), seen({ projectId: other.projectId }))).toBe(0);
    expect(await suite.bus.call(emails.get, caller, { id })).toMatchObject({ opens: 0 });
  });

  it('of several projects share a statement but not an event', async () => {
    const [mine, theirs] = [await buildEmail(), await buildEmail()];
    expect(await record(mine.seen(), theirs.seen(), mine.seen())).toBe(3);
    expect(await eventsOf(mine.caller.projectId, 'sending.email.opened')).toHaveLength(2);
    expect(await eventsOf(theirs.caller.projectId, 'sending.email.opened')).toHaveLength(1);
  });

  it('on links that are long in JSON make several events, none larger than the limit', async () => {
    const { caller, seen } = await buildEmail();
    const url = `https://shop.example/${'\\'.repeat(2_020)}`;
    expect(await record(...Array.from({ length: 256 }, () => seen({ kind: 'CLICK', url })))).toBe(256);
    const rows = await suite.database.query<{ items: { link: string }[] }>(
      `SELECT items FROM outbox WHERE project_id = $1 AND event_name = 'sending.email.clicked'`,
      [caller.projectId],
    );
    expect(rows.flatMap(({ items }) => items.map(({ link }) => link))).toEqual(
      Array.from({ length: 256 }, () => url),
    );
    for (const { items } of rows)
      expect(Buffer.byteLength(JSON.stringify(items))).toBeLessThanOrEqual(maxEventBytes);
  });

  it('make events of at most 256 items', async () => {
    const { caller, seen } = await buildEmail();
    expect(await record(...Array.from({ length: 500 }, () => seen()))).toBe(500);
    const rows = await suite.database.query<{ items: object[] }>(
      `SELECT items FROM outbox WHERE project_id = $1 AND event_name = 'sending.email.opened'`,
      [caller.projectId],
    );
    expect(rows.map(({ items }) => items.length).sort()).toEqual([244, 256]);
  });
});

describe('the links of an e-mail', () => {
  it('show how often and by how many they were followed, most followed first', async () => {
    const { caller, id, seen } = await buildEmail();
    const [often, once] = ['https://often.example/', 'https://once.example/'];
    const click = (url: string, position: number) => seen({ kind: 'CLICK', url, position });
    await record(click(once, 0), click(often, 0), click(often, 0), click(often, 1));
    expect(await suite.bus.call(engagement.links, caller, { id })).toEqual({
      links: [
        { url: often, clicks: 3, uniqueClicks: 2 },
        { url: once, clicks: 1, uniqueClicks: 1 },
      ],
    });
  });

  it("of another project's e-mail are not found", async () => {
    const { id } = await buildEmail();
    const { caller } = await suite.buildProject();
    await expect(suite.bus.call(engagement.links, caller, { id })).rejects.toMatchObject({
      kind: 'not_found',
    });
  });
});
