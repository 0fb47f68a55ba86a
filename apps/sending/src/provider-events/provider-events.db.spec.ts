import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emails, serviceCaller, type EmailWithEvents } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import {
  buildEvent,
  buildReportedMails,
  publishedAbout,
  reportAll,
  suppressionOf,
  type ReportedEvent,
  type ReportedMail,
} from '../testing/reported-mail.js';
import { startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite({ DELIVERY_PAUSED: 'true' });
});
afterAll(() => suite.stop());

type MailOptions = Parameters<typeof buildReportedMails>[2];
const buildMail = async (options?: MailOptions): Promise<ReportedMail> =>
  (await buildReportedMails(suite.database, 1, options))[0]!;
const report = (mail: ReportedMail, ...events: ReportedEvent[]): Promise<number> =>
  reportAll(
    suite,
    events.map((event) => buildEvent(mail, event)),
  );
const callerOf = ({ projectId }: ReportedMail) => serviceCaller('gateway', projectId);
const read = (mail: ReportedMail): Promise<EmailWithEvents> =>
  suite.bus.call(emails.get, callerOf(mail), { id: mail.id });
const published = (mail: ReportedMail) => publishedAbout(suite.database, mail);
const stateOf = async ({ id }: ReportedMail) => {
  const rows = await suite.database.query<{ state: string }>(
    `SELECT state FROM deliveries WHERE email_id = $1 ORDER BY position`,
    [id],
  );
  return rows.map(({ state }) => state);
};
describe('an event of a provider', () => {
  it.each([
    ['SENT', 'SENT', null, ['sent']],
    ['DELAYED', 'DELIVERY_DELAY', null, ['delayed', 'sent']],
    ['SOFT_BOUNCED', 'FAILED', 'expired', ['bounced Transient', 'sent']],
    ['DELIVERED', 'DELIVERED', null, ['delivered', 'sent']],
    ['REJECTED', 'REJECTED', 'provider_rejected', ['failed']],
    ['BOUNCED', 'BOUNCED', 'hard_bounce', ['bounced Permanent', 'sent']],
    ['COMPLAINED', 'SENT', null, ['complained', 'sent']],
  ] as const)('%s during the hand-off makes it %s', async (kind, status, failureKind, events) => {
    const mail = await buildMail();
    expect(await report(mail, { kind, detail: 'what the server said' })).toBe(1);
    const email = await read(mail);
    expect(email).toMatchObject({ status, failureKind });
    expect(email.events.slice(1)).toMatchObject([
      { recipient: mail.to, detail: 'what the server said', source: 'ses', kind },
    ]);
    expect(await published(mail)).toEqual(events);
  });

  it('carries what workflows and webhooks tell', async () => {
    const mail = await buildMail({ state: 'SENT' });
    await report(mail, {
      kind: 'BOUNCED',
      detail: '550 5.1.1 no such user',
      providerMessageId: 'provider-17',
      at: new Date(Date.now() - 60_000),
    });
    const [row] = await suite.database.query<{ items: object[] }>(
      `SELECT items FROM outbox WHERE project_id = $1 AND event_name = 'sending.email.bounced'`,
      [mail.projectId],
    );
    expect(row!.items).toEqual([
      {
        emailId: mail.id,
        to: mail.to,
        from: 'hello@shop.example',
        fromName: 'The Shop',
        subject: 'Your order',
        sourceType: 'TRANSACTIONAL',
        providerMessageId: 'provider-17',
        metadata: { order: '17' },
        bounceType: 'Permanent',
        reason: '550 5.1.1 no such user',
        diagnostic: '550 5.1.1 no such user',
        at: expect.any(String),
      },
    ]);
  });

  it('counts once, however often and from wherever it arrives', async () => {
    const mail = await buildMail({ state: 'SENT' });
    const event = buildEvent(mail, { kind: 'DELIVERED' });
    const counts = await Promise.all(Array.from({ length: 8 }, () => reportAll(suite, [event, event])));
    expect(counts.reduce((sum, count) => sum + count)).toBe(1);
    expect(await report(mail, { kind: 'DELIVERED' }, { kind: 'DELIVERED', source: 'dsn' })).toBe(2);
    expect(await published(mail)).toEqual(['delivered']);
    expect((await read(mail)).events).toHaveLength(4);
  });

  it('never moves the status back', async () => {
    const mail = await buildMail({ state: 'SENT' });
    for (const [kind, status] of [
      ['DELAYED', 'DELIVERY_DELAY'],
      ['SENT', 'DELIVERY_DELAY'],
      ['DELIVERED', 'DELIVERED'],
      ['DELAYED', 'DELIVERED'],
      ['SOFT_BOUNCED', 'DELIVERED'],
      ['BOUNCED', 'BOUNCED'],
      ['DELIVERED', 'BOUNCED'],
      ['COMPLAINED', 'BOUNCED'],
    ] as const) {
      await report(mail, { kind });
      expect((await read(mail)).status).toBe(status);
    }
  });

  it('settles a message of unknown outcome, and one that waits to be sent again', async () => {
    for (const state of ['AMBIGUOUS', 'QUEUED', 'HELD', 'CLAIMED', 'FAILED']) {
      const mail = await buildMail({ state });
      await report(mail, { kind: 'DELIVERED' });
      expect([await stateOf(mail), (await read(mail)).status]).toEqual([['SENT'], 'DELIVERED']);
      const bounced = await buildMail({ state });
      await report(bounced, { kind: 'BOUNCED' });
      expect(await stateOf(bounced)).toEqual(['BOUNCED']);
    }
  });

  it('that a message failed which we gave up ourselves is not announced again', async () => {
    const mail = await buildMail({ state: 'FAILED' });
    await suite.database.query(
      `UPDATE emails SET status = 'FAILED', failure_kind = 'delivery_unconfirmed' WHERE id = $1`,
      [mail.id],
    );
    await report(mail, { kind: 'REJECTED' });
    expect(await read(mail)).toMatchObject({ status: 'REJECTED', failureKind: 'provider_rejected' });
    expect(await published(mail)).toEqual([]);
    await report(mail, { kind: 'DELIVERED' });
    expect(await published(mail)).toEqual(['delivered', 'sent']);
  });

  it('about a message that was never claimed, was cancelled, voided or never was is ignored', async () => {
    const queued = await buildMail({ state: 'QUEUED', leaseToken: 0 });
    const cancelled = await buildMail({ state: 'CANCELLED' });
    const voided = await buildMail();
    await suite.database.query(`UPDATE emails SET status = 'VOIDED' WHERE id = $1`, [voided.id]);
    const unknown = { ...queued, id: newId() };
    for (const mail of [queued, cancelled, voided, unknown])
      expect(await report(mail, { kind: 'BOUNCED', statusCode: '5.1.1' })).toBe(0);
    expect([await stateOf(queued), await suppressionOf(suite, queued)]).toEqual([['QUEUED'], null]);
  });

  it('has an instant between the creation of the e-mail and now, whatever the clock of the provider says', async () => {
    const mail = await buildMail({ state: 'SENT' });
    const dayMs = 26 * 3_600_000;
    await report(
      mail,
      { kind: 'DELAYED', at: new Date(Date.now() - dayMs) },
      { kind: 'DELIVERED', at: new Date(Date.now() + dayMs) },
    );
    const { events, deliveredAt, createdAt } = await read(mail);
    expect(events.map(({ timestamp }) => timestamp.getTime())).toEqual(
      events.map(({ timestamp }) => Math.min(Math.max(timestamp.getTime(), createdAt.getTime()), Date.now())),
    );
    expect(Math.abs(deliveredAt!.getTime() - Date.now())).toBeLessThan(3_600_000);
  });

  it('is stored up to a limit for each message, so that a thousand complaints are one', async () => {
    const mail = await buildMail({ state: 'SENT' });
    for (let round = 0; round < 4; round += 1)
      await report(mail, ...Array.from({ length: 250 }, () => ({ kind: 'COMPLAINED' as const })));
    expect((await read(mail)).events.length).toBeLessThanOrEqual(751);
    expect(await published(mail)).toEqual(['complained']);
  });

  it('of a copy changes its own delivery only', async () => {
    const copies = ['bob@example.org', 'eve@example.org'];
    const mail = await buildMail({ state: 'SENT', copies });
    expect(
      await report(
        mail,
        { kind: 'BOUNCED', recipient: 'bob@example.org', statusCode: '5.1.1' },
        { kind: 'COMPLAINED', position: 2 },
        { kind: 'BOUNCED', recipient: 'stranger@example.org' },
      ),
    ).toBe(2);
    expect([await stateOf(mail), (await read(mail)).status]).toEqual([['SENT', 'BOUNCED', 'SENT'], 'SENT']);
    // The previous release sent it and published nothing about copies.
    expect(await published(mail)).toEqual([]);
    expect(await suppressionOf(suite, mail, copies[0])).toEqual({
      reason: 'HARD_BOUNCE',
      source: 'PROVIDER',
    });
    expect(await suppressionOf(suite, mail, copies[1])).toEqual({ reason: 'COMPLAINT', source: 'PROVIDER' });
    expect((await read(mail)).events.map(({ recipient }) => recipient).sort()).toEqual(
      [mail.to, ...copies].sort(),
    );
  });

  it('that names a forwarded address is about the only recipient', async () => {
    const mail = await buildMail({ state: 'SENT' });
    await report(mail, { kind: 'BOUNCED', recipient: 'forwarded@elsewhere.example', statusCode: '5.1.1' });
    expect((await read(mail)).status).toBe('BOUNCED');
    expect(await suppressionOf(suite, mail)).toMatchObject({ reason: 'HARD_BOUNCE' });
    expect(await suppressionOf(suite, mail, 'forwarded@elsewhere.example')).toBeNull();
  });

  it('of many projects is recorded with others in one call', async () => {
    const mails = await Promise.all(Array.from({ length: 20 }, () => buildMail({ state: 'SENT' })));
    expect(
      await reportAll(
        suite,
        mails.map((mail) => buildEvent(mail, { kind: 'DELIVERED' })),
      ),
    ).toBe(20);
    for (const mail of mails) expect(await published(mail)).toEqual(['delivered']);
  });

  it('that tells of an open or a click is an engagement', async () => {
    const mail = await buildMail({ state: 'SENT' });
    const userAgent =
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
    const events = [
      buildEvent(mail, { kind: 'OPENED', userAgent }),
      buildEvent(mail, { kind: 'CLICKED', url: 'https://shop.example/', userAgent }),
    ];
    expect(await reportAll(suite, events)).toBe(2);
    expect(await reportAll(suite, events)).toBe(0);
    expect(await read(mail)).toMatchObject({ opens: 1, clicks: 1, status: 'SENT' });
  });
});
