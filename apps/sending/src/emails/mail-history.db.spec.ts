import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  noProject,
  emails,
  engagement,
  optOuts,
  suppressions,
  mailHistory,
  personData,
  serviceCaller,
  type Caller,
  type MailHistoryEvent,
  type MailEventTime,
  type PersonMail,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';
import { mailHistoryStatement } from './mail-history.read-model.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite();
});
afterAll(() => suite.stop());

const browser =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const url = 'https://shop.example/';

const historyOf = async (
  caller: Caller,
  email: string,
  limit = 101,
  after?: MailHistoryEvent,
): Promise<MailHistoryEvent[]> => {
  const location = after ? { after: { at: after.at, id: after.id } } : {};
  return (await suite.bus.call(mailHistory.page, caller, { email, limit, ...location })).items;
};

async function send(caller: Caller, domain: string, to: string): Promise<string> {
  const { emails: accepted } = await suite.bus.call(emails.accept, caller, buildSend(domain, { to }));
  const id = accepted[0]!.id;
  await eventually(
    async () => ['DELIVERED', 'BOUNCED'].includes((await suite.bus.call(emails.get, caller, { id })).status),
    'it is settled',
  );
  return id;
}

describe('the mail of an address', () => {
  it('lists the events of each e-mail, without machines, page by page', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const to = `ok-${newId()}@sink.test`;
    const [first, second] = [await send(caller, domain, to), await send(caller, domain, to)];
    await send(caller, domain, `ok-${newId()}@sink.test`);
    await suite.database.query(
      `UPDATE emails SET sent_at = now() - interval '1 hour', complained_at = now() + interval '1 hour' WHERE id = $1`,
      [first],
    );
    const seen = { projectId, emailId: first, position: 0, agoMs: 0, userAgent: browser };
    await suite.bus.call(engagement.record, serviceCaller('gateway', noProject), {
      items: [
        { ...seen, kind: 'OPEN', id: newId(), userAgent: 'curl/8.5.0' },
        { ...seen, kind: 'OPEN', id: newId(), position: 1 },
        { ...seen, kind: 'CLICK', id: newId(), url },
      ],
    });
    const whole = await historyOf(caller, to);
    expect(whole.map(({ kind, emailId, link }) => [kind, emailId, link])).toEqual([
      ['email.complained', first, null],
      ['email.clicked', first, url],
      ['email.delivered', second, null],
      ['email.accepted', second, null],
      ['email.delivered', first, null],
      ['email.accepted', first, null],
    ]);
    expect(whole.at(-1)).toMatchObject({ id: first, subject: 'Hello', at: expect.any(Date) });
    for (const limit of [1, 4]) {
      const paged = await historyOf(caller, to, limit);
      for (let more = paged; more.length > 0; paged.push(...more))
        more = await historyOf(caller, to, limit, paged.at(-1));
      expect(paged).toEqual(whole);
    }
    expect(await historyOf((await suite.buildProject()).caller, to)).toEqual([]);
  });

  it('is found by index, however much mail the project has', async () => {
    const { caller, projectId } = await suite.buildProject();
    await suite.database.query(
      `INSERT INTO emails (project_id, id, content_id, from_email, to_email, subject, status)
       SELECT $1, uuidv7(), uuidv7(), 'a@a.example', 'reader' || n % 1000 || '@example.org', 'News', 'DELIVERED' FROM generate_series(1, 20000) AS n`,
      [projectId],
    );
    await suite.database.query(
      `INSERT INTO email_events (project_id, email_id, id, status, recipient) SELECT project_id, id, uuidv7(), 'DELIVERED', to_email FROM emails WHERE project_id = $1`,
      [projectId],
    );
    await suite.database.query(
      `INSERT INTO engagements (project_id, email_id, id, kind, position, at) SELECT project_id, id, uuidv7(), 'OPEN', 0, now() FROM emails WHERE project_id = $1`,
      [projectId],
    );
    await suite.database.query(`ANALYZE emails, email_events, engagements`);
    const requested = { email: 'reader7@example.org', limit: 101 };
    expect(await historyOf(caller, requested.email)).toHaveLength(60);
    for (const after of [undefined, { at: new Date(), id: newId() }]) {
      const { sql, parameters } = mailHistoryStatement(projectId, { ...requested, after });
      const lines = await suite.database.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ${sql}`,
        parameters,
      );
      const read = lines
        .map((line) => line['QUERY PLAN'])
        .filter((line) => / Scan/.test(line) && /rows=[1-9]/.test(line));
      expect(read.filter((line) => /Seq Scan/.test(line))).toEqual([]);
      expect(read.join('\n')).toMatch(/using emails_p\d+_project_id_to_email/);
    }
  });
});

describe('the data of an address', () => {
  it('contains its e-mails with their events, its suppression and its opt-out', async () => {
    const { caller, domain } = await suite.buildProject();
    const to = `ok-${newId()}@sink.test`;
    const nothing = { emails: [], suppression: null, optOut: null, hasMore: false, next: null };
    expect(await suite.bus.call(personData.mail, caller, { email: to })).toEqual(nothing);
    const [first, second] = [await send(caller, domain, to), await send(caller, domain, to)];
    await suite.bus.call(optOuts.put, caller, { optOuts: [{ email: to }] });
    await suite.bus.call(suppressions.put, caller, { email: to });
    const held = await suite.bus.call(personData.mail, caller, { email: to });
    expect(held).toMatchObject({
      suppression: { email: to, reason: 'MANUAL' },
      optOut: { optedOut: true },
      hasMore: false,
    });
    expect(held.emails.map(({ id, history }) => [id, history.map(({ kind }) => kind)])).toEqual([
      [second, ['email.delivered', 'email.accepted']],
      [first, ['email.delivered', 'email.accepted']],
    ]);
    expect(await suite.bus.call(personData.mail, (await suite.buildProject()).caller, { email: to })).toEqual(
      nothing,
    );
  });

  it('is complete, page by page, also for an e-mail that was opened very often', async () => {
    const { caller, projectId } = await suite.buildProject();
    const requested = { email: 'often@example.org' };
    await suite.database.query(
      `WITH made AS (
         INSERT INTO emails (project_id, id, content_id, from_email, to_email, subject, status)
         SELECT $1, uuidv7(), uuidv7(), 'a@a.example', $2, 'News', 'DELIVERED' FROM generate_series(1, 1001) RETURNING id
       ) INSERT INTO engagements (project_id, email_id, id, kind, position, at)
         SELECT $1, max(id::text)::uuid, uuidv7(), 'OPEN', 0, now() + n / 3 * interval '1 second' FROM made, generate_series(1, 2500) AS n GROUP BY n`,
      [projectId, requested.email],
    );
    const shown: PersonMail['emails'] = [];
    for (let page = await suite.bus.call(personData.mail, caller, requested); ;) {
      shown.push(...page.emails);
      if (!page.next) break;
      page = await suite.bus.call(personData.mail, caller, { ...requested, after: page.next });
    }
    expect(new Set(shown.map(({ id }) => id)).size).toBe(1_001);
    const open = shown.filter(({ historyNext }) => historyNext);
    expect(open).toHaveLength(1);
    const times: MailEventTime[] = [...open[0]!.history];
    for (let after = open[0]!.historyNext; after;) {
      const { items, next } = await suite.bus.call(personData.moments, caller, {
        ...requested,
        emailId: open[0]!.id,
        after,
      });
      times.push(...items);
      after = next;
    }
    expect([times.length, new Set(times.map(({ id }) => id)).size, times.at(-1)!.kind]).toEqual([
      2_501,
      2_501,
      'email.accepted',
    ]);
    const outsider = {
      ...requested,
      email: 'else@example.org',
      emailId: open[0]!.id,
      after: { at: new Date('9999-01-01'), id: newId() },
    };
    expect((await suite.bus.call(personData.moments, caller, outsider)).items).toEqual([]);
  });
});
