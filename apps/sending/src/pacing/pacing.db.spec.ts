import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emails, explanations, usage } from '@posthorn/contracts';
import { DnsServer, eventually } from '@posthorn/testing';
import { Pace } from '../delivery/claiming/pace.js';
import { lanes } from '../delivery/delivery.entity.js';
import { HandOffMarks } from '../delivery/hand-off/hand-off-marks.repository.js';
import { claimedMessages } from '../testing/claimed-messages.js';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';
import { SlowDownsRepository } from './slow-downs.repository.js';
import type { WarmUp } from './warm-up-sql.js';

let suite: SendingSuite;
let dns: DnsServer;
let slowDowns: SlowDownsRepository;
beforeAll(async () => {
  dns = await DnsServer.start();
  suite = await startSendingSuite({ DNS_SERVERS: dns.address });
  slowDowns = new SlowDownsRepository(suite.database);
});
afterAll(async () => {
  await suite.stop();
  await dns.stop();
});

let counter = 0;
/** A provider of its own for each test, so that none slows down another. */
const newProvider = () => `provider-${(counter += 1)}`;
const marksOf = (provider: string, warmUp: WarmUp | null = null) =>
  new HandOffMarks(suite.database, new Pace({ provider, perSecond: 0 }), suite.hashes, warmUp);
const slow = (provider: string, destination: string, fullRate = 10) =>
  slowDowns.slow({ provider, destination, fullRate });
const rateOf = async (provider: string) => {
  const [row] = await suite.database.query<{ rate: number }>(
    `SELECT rate FROM slowed_destinations WHERE provider = $1`,
    [provider],
  );
  return row?.rate;
};
const passed = (minutes: number, provider: string) =>
  suite.database.query(
    `UPDATE slowed_destinations SET slowed_at = slowed_at - $2 * interval '1 minute', next_at = now() WHERE provider = $1`,
    [provider, minutes],
  );

async function claimed(domains: string[]) {
  const { projectId } = await suite.buildProject();
  const { workerId, messages } = await claimedMessages(suite.database, projectId, domains.length);
  const addressed = messages.map((message, index) => ({
    ...message,
    recipient: `reader-${index}@${domains[index]}`,
  }));
  return { projectId, workerId, messages: addressed };
}
const decisionsOf = (marked: { decision: string }[]) => marked.map(({ decision }) => decision);
const times = <T>(count: number, value: T): T[] => Array<T>(count).fill(value);

describe('a destination that asks to slow down', () => {
  it('gets half as much, once for all replies of one moment, and the others as much as before', async () => {
    const provider = newProvider();
    expect(await Promise.all(times(8, 0).map(() => slow(provider, 'gmail')))).toContain(true);
    expect(await rateOf(provider)).toBe(5);
    const { workerId, messages } = await claimed([...times(9, 'gmail.com'), ...times(3, 'example.org')]);
    const marked = await marksOf(provider).mark(workerId, messages);
    const decisions = decisionsOf(marked);
    expect(decisions.slice(9)).toEqual(times(3, 'ok'));
    const ok = decisions.slice(0, 9).filter((decision) => decision === 'ok').length;
    expect(ok).toBeGreaterThanOrEqual(1);
    expect(ok).toBeLessThanOrEqual(6);
    expect(decisions.slice(0, 9).filter((decision) => decision === 'slowed')).toHaveLength(9 - ok);
    const waits = marked.slice(ok, 9).map(({ delayMs }) => delayMs!);
    expect(waits).toEqual(waits.toSorted((one, other) => one - other));
    // Five a second.
    expect(waits.at(-1)!).toBeGreaterThan((9 - ok - 1) * 200);
    expect(waits.at(-1)!).toBeLessThanOrEqual((9 - ok) * 200);
  });

  it('gives its slots once, also to marks at the same time', async () => {
    const provider = newProvider();
    await slow(provider, 'outlook', 2);
    const all = await Promise.all(
      times(6, 0).map(async () => {
        const { workerId, messages } = await claimed(times(4, 'hotmail.com'));
        return decisionsOf(await marksOf(provider).mark(workerId, messages));
      }),
    );
    const ok = all.flat().filter((decision) => decision === 'ok').length;
    // One a second, over about a second.
    expect(ok).toBeGreaterThanOrEqual(1);
    expect(ok).toBeLessThanOrEqual(3);
  });

  it('recovers by a quarter a minute, and is halved again from there', async () => {
    const provider = newProvider();
    await slow(provider, 'yahoo', 16);
    await passed(1, provider);
    await slow(provider, 'yahoo', 16);
    expect(await rateOf(provider)).toBeCloseTo(5, 1);
    await passed(6, provider);
    const { workerId, messages } = await claimed(times(20, 'yahoo.com'));
    expect(decisionsOf(await marksOf(provider).mark(workerId, messages))).toEqual(times(20, 'ok'));
    await slowDowns.deleteOld();
    expect(await rateOf(provider)).toBeUndefined();
  });

  it('is at least served once a minute', async () => {
    const provider = newProvider();
    for (let round = 0; round < 14; round += 1) {
      await slow(provider, 'gmail', 1);
      await suite.database.query(
        `UPDATE slowed_destinations SET slowed_at = slowed_at - interval '6 seconds' WHERE provider = $1`,
        [provider],
      );
    }
    expect(await rateOf(provider)).toBeCloseTo(1 / 60, 4);
  });

  it('uses up no allowance with what waits', async () => {
    const provider = newProvider();
    await slow(provider, 'gmail', 0.2);
    const { projectId, workerId, messages } = await claimed([...times(3, 'gmail.com'), 'example.org']);
    await suite.database.query(`INSERT INTO project_usage (project_id, monthly_limit) VALUES ($1, 2)`, [
      projectId,
    ]);
    expect(decisionsOf(await marksOf(provider).mark(workerId, messages))).toEqual([
      'ok',
      'slowed',
      'slowed',
      'ok',
    ]);
  });

  it('is all mail, if the mail server asks for it', async () => {
    const provider = newProvider();
    await slow(provider, '*', 0.2);
    const { workerId, messages } = await claimed(['gmail.com', 'example.org', 'example.net']);
    expect(decisionsOf(await marksOf(provider).mark(workerId, messages))).toEqual(['ok', 'slowed', 'slowed']);
  });
});

describe('a reply of the mail server', () => {
  it('slows down all domains of the destination, which the MX record tells, and the explanation says so', async () => {
    const { caller, domain } = await suite.buildProject();
    dns.set('MX', 'company.test', '10 aspmx.l.google.com');
    const send = async (to: string) =>
      (await suite.bus.call(emails.accept, caller, buildSend(domain, { to }))).emails[0]!.id;
    const id = await send('rcpt-421-4.7.0-once@company.test');
    const rate = () =>
      suite.database.query<{ rate: number }>(
        `SELECT rate FROM slowed_destinations WHERE provider = 'smtp' AND destination = 'gmail'`,
      );
    const [slowed] = await eventually(async () => {
      const rows = await rate();
      return rows.length > 0 && rows;
    }, 'gmail is slowed down');
    expect(slowed!.rate).toBe(10);
    const explained = await eventually(async () => {
      const found = await suite.bus.call(explanations.email, caller, { id });
      return found.status === 'PENDING' && found.attempts.length === 1 && found;
    }, 'it is tried again later');
    expect(explained.waitsFor).toBe(
      'Its turn: gmail asked for less mail, and gets it more slowly for a while.',
    );
    const other = await send('ada@gmail.com');
    await eventually(
      async () => (await suite.bus.call(emails.get, caller, { id: other })).status === 'DELIVERED',
      'other mail to gmail leaves',
    );
  });
});

describe('a new domain', () => {
  const warmUp: WarmUp = { messages: 4, growth: 50, days: 10 };

  async function sender(provider = newProvider()) {
    const { caller, projectId, domain } = await suite.buildProject();
    const mark = async (count: number, lane: number = lanes.bulk) => {
      const { workerId, messages } = await claimedMessages(suite.database, projectId, count);
      await suite.database.query(
        `UPDATE deliveries SET lane = $2 WHERE project_id = $1 AND state = 'CLAIMED'`,
        [projectId, lane],
      );
      const from = { email: `hello@${domain}` };
      const marked = await marksOf(provider, warmUp).mark(
        workerId,
        messages.map((message) => ({ ...message, from })),
      );
      return decisionsOf(marked).filter((decision) => decision === 'ok').length;
    };
    return { caller, projectId, mark };
  }

  it('sends marketing mail up to a number that grows each day, transactional mail without a bound', async () => {
    const { caller, projectId, mark } = await sender();
    expect(await Promise.all(times(4, 0).map(() => mark(3))).then((all) => all.reduce((a, b) => a + b))).toBe(
      4,
    );
    expect(await mark(5, lanes.transactional)).toBe(5);
    expect(await mark(1)).toBe(0);
    expect((await suite.bus.call(usage.get, caller, {})).monthly.emailsSent).toBe(9);
    await suite.database.query(
      `UPDATE domain_warm_ups SET first_day = first_day - 2, day = day - 1 WHERE project_id = $1`,
      [projectId],
    );
    // 4 × 1.5²
    expect(await mark(12)).toBe(9);
  });

  it('is no longer new after the days of the warm-up, nor if it was added before', async () => {
    const late = await sender();
    await late.mark(1);
    await suite.database.query(
      `UPDATE domain_warm_ups SET first_day = first_day - 10 WHERE project_id = $1`,
      [late.projectId],
    );
    expect(await late.mark(20)).toBe(20);
    const old = await sender();
    await suite.database.query(
      `UPDATE domains SET created_at = now() - interval '11 days' WHERE project_id = $1`,
      [old.projectId],
    );
    expect(await old.mark(20)).toBe(20);
  });
});
