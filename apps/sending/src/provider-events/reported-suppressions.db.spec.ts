import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emails, serviceCaller, suppressions, type EmailWithEvents } from '@posthorn/contracts';
import {
  buildEvent,
  buildReportedMails,
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

describe('an address', () => {
  it.each([
    [{ kind: 'BOUNCED', statusCode: '5.1.1' }, 'HARD_BOUNCE'],
    [{ kind: 'BOUNCED', statusCode: '5.2.1' }, 'HARD_BOUNCE'],
    [{ kind: 'BOUNCED', replyCode: 550, detail: '550 User unknown' }, 'HARD_BOUNCE'],
    [{ kind: 'BOUNCED', replyCode: 550, statusCode: '5.0.0', detail: 'User unknown' }, 'HARD_BOUNCE'],
    [{ kind: 'BOUNCED', replyCode: 550, detail: '550 This looks like spam' }, null],
    [{ kind: 'COMPLAINED' }, 'COMPLAINT'],
    [{ kind: 'BOUNCED', statusCode: '5.7.1', replyCode: 550 }, null],
    [{ kind: 'BOUNCED', statusCode: '5.2.2' }, null],
    [{ kind: 'BOUNCED' }, null],
    [{ kind: 'BOUNCED', statusCode: '5.1.1', suppresses: false }, null],
    [{ kind: 'SOFT_BOUNCED', statusCode: '5.1.1' }, null],
    [{ kind: 'SOFT_BOUNCED', statusCode: '4.2.2', replyCode: 550 }, null],
    [{ kind: 'REJECTED', statusCode: '5.1.1' }, null],
    [{ kind: 'DELAYED', statusCode: '4.1.1' }, null],
  ] as const)('of %j is suppressed as %s', async (event, reason) => {
    const mail = await buildMail({ state: 'SENT' });
    await report(mail, event as ReportedEvent);
    expect((await suppressionOf(suite, mail))?.reason ?? null).toBe(reason);
  });

  it('has the stronger reason whichever comes first, and is announced once', async () => {
    const bounce = { kind: 'BOUNCED', statusCode: '5.1.1' } as const;
    for (const order of [
      [bounce, { kind: 'COMPLAINED' } as const],
      [{ kind: 'COMPLAINED' } as const, bounce],
    ]) {
      const mail = await buildMail({ state: 'SENT' });
      for (const event of order) await report(mail, event);
      expect(await suppressionOf(suite, mail)).toEqual({ reason: 'COMPLAINT', source: 'PROVIDER' });
      const announced = await suite.database.query(
        `SELECT 1 FROM outbox WHERE project_id = $1 AND event_name = 'sending.suppression.added'`,
        [mail.projectId],
      );
      expect(announced).toHaveLength(1);
    }
  });

  it('that a user suppressed keeps their reason', async () => {
    const mail = await buildMail({ state: 'SENT' });
    await suite.bus.call(suppressions.put, callerOf(mail), { email: mail.to, reason: 'MANUAL' });
    await report(mail, { kind: 'COMPLAINED' });
    expect(await suppressionOf(suite, mail)).toEqual({ reason: 'MANUAL', source: 'API' });
  });

  it('that a user released is suppressed again by a new report only', async () => {
    const mail = await buildMail({ state: 'SENT' });
    const complaint = buildEvent(mail, { kind: 'COMPLAINED' });
    await reportAll(suite, [complaint]);
    await suite.bus.call(suppressions.remove, callerOf(mail), { email: mail.to });
    await reportAll(suite, [complaint]);
    expect(await suppressionOf(suite, mail)).toBeNull();
    await report(mail, { kind: 'COMPLAINED' });
    expect(await suppressionOf(suite, mail)).toMatchObject({ reason: 'COMPLAINT' });
  });

  it('that was erased stays so', async () => {
    const mail = await buildMail({ state: 'SENT' });
    const hash = suite.hasher.hash(mail.projectId, mail.to);
    await suite.database.query(`UPDATE emails SET to_email = $2 WHERE id = $1`, [mail.id, hash]);
    await suite.database.query(`UPDATE deliveries SET recipient = $2 WHERE email_id = $1`, [mail.id, hash]);
    await report(mail, {
      kind: 'BOUNCED',
      statusCode: '5.1.1',
      recipient: mail.to,
      detail: `550 5.1.1 ${mail.to} unknown`,
    });
    expect(JSON.stringify(await read(mail))).not.toContain(mail.to);
    const rows = await suite.database.query(`SELECT items FROM outbox WHERE project_id = $1`, [
      mail.projectId,
    ]);
    expect(JSON.stringify(rows)).not.toContain(mail.to);
    expect(await suppressionOf(suite, mail)).toMatchObject({ reason: 'HARD_BOUNCE' });
  });
});
