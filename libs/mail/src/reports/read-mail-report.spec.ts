import { describe, expect, it } from '@jest/globals';
import { readMailReport } from './read-mail-report.js';
import { corpus } from './testing/corpus.js';
import { noReports } from './testing/other-mails.js';
import { dsnOf, nothing, plain, to } from './testing/samples.js';

const read = (raw: string | Buffer) => readMailReport(Buffer.from(raw));
const plainDsn = dsnOf({
  text: 'It failed.',
  fields:
    'Reporting-MTA: dns; mx.example\n\nFinal-Recipient: rfc822; ada@example.org\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 User unknown\n',
});

/** A mail that passes on another one, so many times. */
function forwarded(raw: string, times: number): string {
  let mail = raw;
  for (let depth = 0; depth < times; depth += 1)
    mail = `From: forwarder@example.net\r\nSubject: Fwd\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="f${depth}"\r\n\r\n--f${depth}\r\nContent-Type: message/rfc822\r\n\r\n${mail}\r\n--f${depth}--\r\n`;
  return mail;
}

describe('a mail to a return path', () => {
  it('is one of at least 60 samples', () => {
    expect(corpus.length).toBeGreaterThanOrEqual(60);
    expect(new Set(corpus.map(({ name }) => name)).size).toBe(corpus.length);
  });

  it.each(corpus.map((sample) => [sample.name, sample] as const))(
    '%s',
    async (_, { raw, kind, statusCode }) => {
      const report = await read(raw);
      expect(report?.kind ?? null).toBe(kind);
      if (statusCode) expect(report?.statusCode).toBe(statusCode);
    },
  );

  it('tells who refused the message, what was said and when', async () => {
    expect(await read(corpus[0]!.raw)).toEqual({
      form: 'dsn',
      kind: 'BOUNCED',
      statusCode: '5.1.1',
      replyCode: 550,
      recipient: 'ada@example.org',
      detail:
        '550 5.1.1 <ada@example.org>: Recipient address rejected: User unknown in virtual mailbox table',
      host: 'mx.example.org',
      at: new Date('2026-11-02T10:00:00Z'),
      returnPaths: ['bounces+id@mail.shop.example'],
    });
  });

  it('is understood inside another one, up to five times', async () => {
    for (const times of [1, 3, 5])
      expect(await read(forwarded(plainDsn, times))).toMatchObject({ kind: 'BOUNCED', statusCode: '5.1.1' });
    for (const times of [6, 30]) expect(await read(forwarded(plainDsn, times))).toBeNull();
  });

  it('that is cut off, empty, nested or nonsense does no harm', async () => {
    for (let length = 0; length < plainDsn.length; length += 7) await read(plainDsn.slice(0, length));
    const html = (body: string) => read(`From: mailer-daemon@x\r\nContent-Type: text/html\r\n\r\n${body}`);
    expect(await html('<'.repeat(1_000_000))).toBeNull();
    expect(await html('userexisti'.repeat(100_000))).toBeNull();
    expect(await read('')).toBeNull();
    expect(await read(Buffer.alloc(100_000, 0xff))).toBeNull();
    expect(
      await read(`Content-Type: multipart/report; boundary=x\r\n\r\n${'--x\r\n'.repeat(20_000)}`),
    ).toBeNull();
    expect(
      await read(`From: MAILER-DAEMON@x\r\nSubject: failure\r\n\r\n${'a'.repeat(1_000_000)}`),
    ).toBeNull();
  });

  it('without a final recipient still says what happened', async () => {
    const fields = 'Reporting-MTA: dns; mx.example\n\nAction: failed\nStatus: 5.1.1\n';
    expect(await read(dsnOf({ text: 'It failed.', fields }))).toMatchObject({
      kind: 'BOUNCED',
      statusCode: '5.1.1',
    });
  });

  it('names the return path of a complaint in its fields and in the message', async () => {
    const named = corpus.filter(({ name }) => name.startsWith('ARF')).slice(0, 2);
    for (const { raw } of named)
      expect((await read(raw))!.returnPaths.map((path) => path.replace(/[<>]/g, ''))).toEqual([
        'bounces+id@mail.shop.example',
      ]);
  });
});

describe('the null sender of a mail that calls itself an automatic reply', () => {
  const headers = 'Auto-Submitted: auto-replied\n';
  const readAs = (
    hasNullSender: boolean,
    text: string,
    { subject = 'Your order', from = 'mx <mx@mx.example>' } = {},
  ) =>
    readMailReport(Buffer.from(plain('', nothing, text, { from, subject, headers }).raw), { hasNullSender });

  it.each([
    ['a bounce subject', 'Mail delivery failed', 'The user is unknown.'],
    ['an SMTP error', 'Your order', '  host mx.example: 550 5.1.1 User unknown'],
    ['what a server said', 'Your order', 'The remote server said: 550 No such user'],
    ['the words of an SMTP error', 'Your order', 'SMTP error after RCPT TO: unknown user'],
  ])('makes it a bounce together with %s, and only then', async (_, subject, text) => {
    expect(await readAs(true, text, { subject })).toMatchObject({ kind: 'BOUNCED' });
    expect(await readAs(false, text, { subject })).toBeNull();
  });

  it.each([
    ['Your order', 'I am away until Monday. My mailbox is full.'],
    [
      'Your order',
      'I no longer work here; this address is no longer in use. Call +49 511 555 1234, room 450 b.',
    ],
    ['Re: Your parcel could not be delivered', 'I am on leave; the user is unknown to be here.'],
    ['AW: Mail delivery failed', 'Ich bin im Urlaub. Tel. 0511 555-12, 5.145.2.1'],
    ['Automatic reply: Mail delivery failed', '550 5.1.1 User unknown'],
    ['Re: Undelivered mail', 'I am away.\n> 550 5.1.1 User unknown'],
  ])('leaves vacation replies ignored: %s, %s', async (subject, text) => {
    expect(await readAs(true, text, { subject, from: 'Ada <ada@example.org>' })).toBeNull();
  });

  it('changes nothing of what is no report', async () => {
    for (const { raw } of noReports)
      expect(await readMailReport(Buffer.from(raw), { hasNullSender: true })).toBeNull();
  });

  it('counts for the mail itself, not for one that it passes on', async () => {
    const bounce = plain('', nothing, '550 5.1.1 User unknown', {
      from: 'mx@mx.example',
      subject: 'x',
      headers,
    }).raw;
    const passedOn = forwarded(`${String(bounce)}\r\nmessage/delivery-status to ${to}`, 1);
    expect(await readMailReport(Buffer.from(passedOn), { hasNullSender: true })).toBeNull();
  });
});
