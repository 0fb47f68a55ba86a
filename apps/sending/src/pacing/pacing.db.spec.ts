import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emails, explanations, usage } from '@posthorn/contracts';
import { DnsServer, eventually } from '@posthorn/testing';
import { Pace } from './pace.js';
import { lanes, type Lane } from '../delivery/delivery-states.js';
import { HandOffMarks } from '../delivery/hand-off/hand-off-marks.repository.js';
import { claimedMessages, markedBy } from '../testing/claimed-messages.js';
import { marksAtOnce } from '../testing/marks-at-once.js';
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

const warmUp: WarmUp = { messages: 4, growth: 50, days: 10 };
let counter = 0;
/** A provider of its own for each test, so that none slows down another. */
const newProviderKind = () => `provider-${(counter += 1)}`;
const marksOf = (providerKind: string, warmUp: WarmUp | null = null) =>
  new HandOffMarks(suite.database, new Pace({ providerKind, perSecond: 0 }), suite.hasher, warmUp);
const slow = (providerKind: string, destination: string, fullRate = 10) =>
  slowDowns.slow({ providerKind, destination, fullRate });
const rateOf = async (providerKind: string) => {
  const [row] = await suite.database.query<{ rate: number }>(
    `SELECT rate FROM slowed_destinations WHERE provider = $1`,
    [providerKind],
  );
  return row?.rate;
};
const passed = (minutes: number, providerKind: string) =>
  suite.database.query(
    `UPDATE slowed_destinations SET slowed_at = slowed_at - $2 * interval '1 minute' WHERE provider = $1`,
    [providerKind, minutes],
  );

async function claimed(domains: string[], { lane = lanes.bulk as Lane, projectId = '' } = {}) {
  const project = projectId || (await suite.buildProject()).projectId;
  const { workerId, messages } = await claimedMessages(suite.database, project, domains.length, lane);
  const addressed = messages.map((message, index) => ({
    ...message,
    recipient: `reader-${index}@${domains[index]}`,
  }));
  return { projectId: project, workerId, messages: addressed };
}
const decisionsOf = (marked: { decision: string }[]) => marked.map(({ decision }) => decision);
const waitsOf = (marked: { delayMs: number | null }[]) =>
  marked.map(({ delayMs }) => 50 * Math.round(delayMs! / 50));
const times = <T>(count: number, value: T): T[] => Array<T>(count).fill(value);

describe('a destination that asks to slow down', () => {
  it('gets half as much, once for all replies of one moment, and the others as much as before', async () => {
    const providerKind = newProviderKind();
    expect(await Promise.all(times(8, 0).map(() => slow(providerKind, 'gmail')))).toContain(true);
    expect(await rateOf(providerKind)).toBe(5);
    const { projectId, workerId, messages } = await claimed([
      ...times(4, 'gmail.com'),
      ...times(3, 'example.org'),
    ]);
    const marked = await markedBy(marksOf(providerKind), workerId, messages);
    expect(decisionsOf(marked)).toEqual([...times(4, 'slowed'), ...times(3, 'ok')]);
    expect(waitsOf(marked.slice(0, 4))).toEqual([200, 400, 600, 800]);
    expect(marked.slice(0, 4).every(({ hasTurn }) => hasTurn)).toBe(true);
    // Each leaves at its turn, without waiting again.
    await suite.database.query(`UPDATE deliveries SET has_turn = true WHERE project_id = $1`, [projectId]);
    const again = await markedBy(marksOf(providerKind), workerId, messages.slice(0, 4));
    expect(decisionsOf(again)).toEqual(times(4, 'ok'));
    // One that misses its slot of the rate is queued again with its turn, also where that is now.
    expect(again.map(({ hasTurn }) => hasTurn)).toEqual(times(4, true));
    const quick = newProviderKind();
    await slow(quick, 'gmail', 40);
    const soon = await claimed(['gmail.com']);
    const leaving = await markedBy(marksOf(quick), soon.workerId, soon.messages);
    expect(leaving).toMatchObject([{ decision: 'ok', hasTurn: true }]);
  });

  it('gives its turns once, also to marks at the same time', async () => {
    const providerKind = newProviderKind();
    await slow(providerKind, 'outlook', 4);
    const { projectId } = await claimed([]);
    const batches = await Promise.all(times(6, 0).map(() => claimed(times(4, 'hotmail.com'), { projectId })));
    await suite.database.query(
      `INSERT INTO destination_lines (provider, destination, project_id, lane, last_turn_at) VALUES ($1, 'outlook', $2, $3, now())`,
      [providerKind, projectId, lanes.bulk],
    );
    const lock = `SELECT 1 FROM destination_lines WHERE project_id = $1 FOR UPDATE`;
    const lastTurn = `SELECT extract(epoch FROM last_turn_at)::float8 AS at FROM destination_lines WHERE project_id = $1`;
    const lastTurnOf = async () => (await suite.database.query<{ at: number }>(lastTurn, [projectId]))[0]!.at;
    const began = await lastTurnOf();
    await marksAtOnce(suite.database, marksOf(providerKind), batches, lock);
    // Two a second, and a little more as the rate recovers: the last after twelve seconds, whatever the order of the marks.
    expect((await lastTurnOf()) - began).toBeGreaterThan(11);
  });

  it('gives a share to each project, and to transactional mail beside the backlog of its own', async () => {
    const providerKind = newProviderKind();
    const big = await claimed(times(60, 'gmail.com'));
    const small = await claimed(['gmail.com']);
    const own = await claimed(['gmail.com'], { projectId: big.projectId, lane: lanes.transactional });
    await slow(providerKind, 'gmail', 2);
    const wait = async ({ workerId, messages }: typeof big) =>
      waitsOf(await markedBy(marksOf(providerKind), workerId, messages)).at(-1)! / 1_000;
    // The rate recovers from the first moment on, by less than a twentieth in ten seconds.
    expect((await wait(big)) / 60).toBeCloseTo(1, 1);
    expect([await wait(small), await wait(own)].map(Math.round)).toEqual([2, 3]);
  });

  it('gives no turn more than ten minutes ahead: what comes then is looked at again later', async () => {
    const providerKind = newProviderKind();
    await slow(providerKind, 'gmail', 0.02);
    const { workerId, messages } = await claimed(times(8, 'gmail.com'));
    const marked = await markedBy(marksOf(providerKind), workerId, messages);
    expect(marked.map(({ hasTurn }) => hasTurn)).toEqual([...times(6, true), false, false]);
    for (const { delayMs } of marked.slice(6)) {
      expect(delayMs).toBeGreaterThanOrEqual(600_000);
      expect(delayMs).toBeLessThanOrEqual(900_000);
    }
  });

  it('recovers by a quarter a minute, and is halved again from there', async () => {
    const providerKind = newProviderKind();
    await slow(providerKind, 'yahoo', 16);
    await passed(1, providerKind);
    await slow(providerKind, 'yahoo', 16);
    expect(await rateOf(providerKind)).toBeCloseTo(5, 0);
    await passed(6, providerKind);
    const { workerId, messages } = await claimed(times(20, 'yahoo.com'));
    expect(decisionsOf(await markedBy(marksOf(providerKind), workerId, messages))).toEqual(times(20, 'ok'));
    await slowDowns.deleteOld();
    expect(await rateOf(providerKind)).toBeUndefined();
  });

  it('is at least served once a minute', async () => {
    const providerKind = newProviderKind();
    for (let round = 0; round < 14; round += 1) {
      await slow(providerKind, 'gmail', 1);
      await suite.database.query(
        `UPDATE slowed_destinations SET slowed_at = slowed_at - interval '6 seconds' WHERE provider = $1`,
        [providerKind],
      );
    }
    expect(await rateOf(providerKind)).toBeCloseTo(1 / 60, 4);
  });

  it('uses up no allowance and no warm-up with what waits', async () => {
    const providerKind = newProviderKind();
    await slow(providerKind, 'gmail', 0.2);
    const { projectId, workerId, messages } = await claimed([
      ...times(3, 'gmail.com'),
      ...times(4, 'example.org'),
    ]);
    await suite.database.query(`INSERT INTO project_usage (project_id, monthly_limit) VALUES ($1, 4)`, [
      projectId,
    ]);
    const marks = marksOf(providerKind, warmUp);
    const marked = await markedBy(marks, workerId, messages);
    expect(decisionsOf(marked)).toEqual([...times(3, 'slowed'), ...times(4, 'ok')]);
  });

  it('is all mail, if the mail server asks for it, but not that to the simulator', async () => {
    const providerKind = newProviderKind();
    await slow(providerKind, '*', 0.2);
    const { projectId, workerId, messages } = await claimed(['gmail.com', 'example.org', 'example.net']);
    await suite.database.query(
      `UPDATE deliveries SET recipient = 'success@simulator.posthorn.test' WHERE project_id = $1 AND email_id = $2`,
      [projectId, messages[2]!.emailId],
    );
    expect(decisionsOf(await markedBy(marksOf(providerKind), workerId, messages))).toEqual([
      'slowed',
      'slowed',
      'ok',
    ]);
  });
});

describe('a reply of the mail server', () => {
  const slowed = async (destination: string): Promise<number | undefined> => {
    const [row] = await suite.database.query<{ rate: number }>(
      `SELECT rate FROM slowed_destinations WHERE provider = 'smtp' AND destination = $1`,
      [destination],
    );
    return row?.rate;
  };

  it('slows down its destination, the explanation says so, and other mail to it arrives', async () => {
    const { caller, domain } = await suite.buildProject();
    const send = async (to: string) =>
      (await suite.bus.call(emails.accept, caller, buildSend(domain, { to }))).emails[0]!.id;
    const id = await send('too-fast-once@gmail.com');
    await eventually(() => slowed('gmail'), 'gmail is slowed down');
    const explained = await eventually(async () => {
      const found = await suite.bus.call(explanations.email, caller, { id });
      return found.status === 'PENDING' && found.attempts.length === 1 && found;
    }, 'it is tried again later');
    expect(explained.waitsFor).toBe(
      'Its turn: gmail asked for less mail, and gets it more slowly for a while.',
    );
    await suite.database.query(
      `UPDATE slowed_destinations SET rate = 4, full_rate = 8 WHERE destination = 'gmail'`,
    );
    for (const to of ['ada@gmail.com', 'bob@gmail.com']) {
      const other = await send(to);
      await eventually(
        async () => (await suite.bus.call(emails.get, caller, { id: other })).status === 'DELIVERED',
        `${to} gets its mail`,
      );
    }
  });

  it('about a domain at hosts of a provider counts for the domain, which waits with the provider', async () => {
    const { caller, domain } = await suite.buildProject();
    dns.set('MX', 'company.test', '10 mx1.smtp.yahoodns.net', '20 mx2.smtp.yahoodns.net');
    dns.set('MX', 'evil.test', '10 mx1.smtp.yahoodns.net', '20 mail.evil.test');
    dns.set('MX', 'star.test', '0 *');
    for (const place of ['company.test', 'evil.test', 'star.test']) {
      await suite.bus.call(emails.accept, caller, buildSend(domain, { to: `too-fast-once@${place}` }));
      await eventually(() => slowed(place), `${place} is slowed down`);
    }
    const known = () =>
      suite.database.query(`SELECT domain, destination FROM destination_domains ORDER BY domain`);
    await eventually(async () => (await known()).length > 0, 'the hosts of company.test are known');
    expect(await known()).toEqual([{ domain: 'company.test', destination: 'yahoo' }]);
    expect(await slowed('yahoo')).toBeUndefined();
    const providerKind = newProviderKind();
    await slow(providerKind, 'yahoo', 0.2);
    const { workerId, messages } = await claimed(['company.test', 'evil.test']);
    expect(decisionsOf(await markedBy(marksOf(providerKind), workerId, messages))).toEqual(['slowed', 'ok']);
  });
});

describe('a new domain', () => {
  async function sender({ host = '' } = {}) {
    const providerKind = newProviderKind();
    const { caller, projectId, domain } = await suite.buildProject();
    let last: Awaited<ReturnType<typeof claimedMessages>> | undefined;
    const mark = async (count: number, lane: Lane = lanes.bulk) => {
      last = await claimedMessages(suite.database, projectId, count, lane);
      const from = { email: `hello@${host}${domain}` };
      const marked = await markedBy(
        marksOf(providerKind, warmUp),
        last.workerId,
        last.messages.map((message) => ({ ...message, from })),
      );
      return decisionsOf(marked).filter((decision) => decision === 'ok').length;
    };
    return { caller, projectId, mark, last: () => last! };
  }

  it('sends marketing mail up to a number that grows each day, transactional mail without a bound', async () => {
    const { caller, projectId, mark } = await sender();
    const marked = await Promise.all(times(4, 0).map(() => mark(3)));
    expect(marked.reduce((sum, count) => sum + count)).toBe(4);
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

  it('is the same for hosts below it, and counts a message once', async () => {
    const { projectId, mark, last } = await sender({ host: 'news.' });
    expect(await mark(4)).toBe(4);
    const { workerId, messages } = last();
    await suite.database.query(`UPDATE deliveries SET state = 'CLAIMED' WHERE project_id = $1`, [projectId]);
    const again = await marksOf(newProviderKind(), warmUp).mark(workerId, messages);
    expect(decisionsOf(again)).toEqual(times(4, 'ok'));
    const sent = `SELECT sent FROM domain_warm_ups WHERE project_id = $1`;
    expect(await suite.database.query(sent, [projectId])).toEqual([{ sent: 4 }]);
    expect(await mark(1)).toBe(0);
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
