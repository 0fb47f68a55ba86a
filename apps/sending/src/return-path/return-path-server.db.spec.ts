import { spawn, spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { talkSmtp } from '@posthorn/testing';
import { emails, serviceCaller, suppressions } from '@posthorn/contracts';
import { chooseQuietPort } from '@posthorn/dev';
import {
  buildReportedMails,
  returnPathOf as suiteReturnPathOf,
  suppressionOf,
  type ReportedMail,
} from '../testing/reported-mail.js';
import { startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

const withSwaks = spawnSync('swaks', ['--version']).error ? it.skip : it;

let suite: SendingSuite;
let port: number;
beforeAll(async () => {
  port = await chooseQuietPort();
  suite = await startSendingSuite(
    { DELIVERY_PAUSED: 'true', INBOUND_PORT: String(port) },
    { breakable: true },
  );
});
afterAll(() => suite.stop());

const returnPathOf = (mail: ReportedMail, position = 0): string => suiteReturnPathOf(suite, mail, position);
const buildMail = async (copies: string[] = []): Promise<ReportedMail> =>
  (await buildReportedMails(suite.database, 1, { state: 'SENT', copies }))[0]!;
const read = ({ projectId, id }: ReportedMail) =>
  suite.bus.call(emails.get, serviceCaller('gateway', projectId), { id });

const talk = (steps: readonly (string | Buffer)[]) => talkSmtp(port, steps);
const bounce = (status = '5.1.1', said = '550 5.1.1 no such user') =>
  Buffer.from(
    `From: MAILER-DAEMON@mx.example\r\nSubject: Undelivered\r\nMIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nIt failed.\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: rfc822; x@example.org\r\nAction: failed\r\nStatus: ${status}\r\nDiagnostic-Code: smtp; ${said}\r\n\r\n--b--\r\n.\r\n`,
  );
const envelope = (to: string) => ['EHLO mx.example', 'MAIL FROM:<>', `RCPT TO:<${to}>`, 'DATA'];
const accepted = ['220', '250', '250', '250', '354', '250'];

describe('mail to a return path', () => {
  it('is a bounce of the message, on disk when it is answered, and counts once', async () => {
    const mail = await buildMail();
    for (let repeated = 0; repeated < 3; repeated += 1)
      expect(await talk([...envelope(returnPathOf(mail)), bounce()])).toEqual(accepted);
    const { status, events } = await read(mail);
    expect([status, events.map(({ source, detail }) => [source, detail])]).toEqual([
      'BOUNCED',
      [
        [null, null],
        ['dsn', '550 5.1.1 no such user'],
      ],
    ]);
    const caller = serviceCaller('gateway', mail.projectId);
    expect(await suite.bus.call(suppressions.get, caller, { email: mail.to })).toMatchObject({
      reason: 'HARD_BOUNCE',
    });
  });

  it('names the recipient of a copy', async () => {
    const mail = await buildMail(['copy@example.org']);
    expect(await talk([...envelope(returnPathOf(mail, 1)), bounce('5.7.1', '550 5.7.1 no')])).toEqual(
      accepted,
    );
    const { status, events } = await read(mail);
    expect([status, events.at(-1)?.recipient]).toEqual(['SENT', 'copy@example.org']);
  });

  it('that is an automatic reply is taken and changes nothing', async () => {
    const mail = await buildMail();
    const reply = Buffer.from(
      'From: Ada <ada@example.org>\r\nSubject: Out of office\r\nAuto-Submitted: auto-replied\r\n\r\nAway.\r\n.\r\n',
    );
    expect(await talk([...envelope(returnPathOf(mail)), reply])).toEqual(accepted);
    expect((await read(mail)).events).toHaveLength(1);
  });

  it('is a bounce in plain words, too, where its server calls it an automatic reply', async () => {
    const mail = await buildMail();
    const report = Buffer.from(
      `From: Mail Delivery System <Mailer-Daemon@mx.example>\r\nSubject: Mail delivery failed: returning message to sender\r\nAuto-Submitted: auto-replied\r\nX-Failed-Recipients: ${mail.to}\r\n\r\nA message that you sent could not be delivered. The following address(es) failed:\r\n\r\n  ${mail.to}\r\n    No Such User Here\r\n.\r\n`,
    );
    expect(await talk([...envelope(returnPathOf(mail)), report])).toEqual(accepted);
    expect((await read(mail)).status).toBe('BOUNCED');
    expect(await suppressionOf(suite, mail)).toEqual({ reason: 'HARD_BOUNCE', source: 'PROVIDER' });
  });

  it('is a bounce where it comes from no address with an SMTP error, whatever it calls itself', async () => {
    const report = Buffer.from(
      'From: mx <mx@mx.example>\r\nSubject: Your order\r\nAuto-Submitted: auto-replied\r\n\r\nhost mx.example: 550 5.1.1 User unknown\r\n.\r\n',
    );
    const statuses = [];
    for (const from of ['mx@mx.example', '']) {
      const mail = await buildMail();
      const [greeting, , ...rest] = envelope(returnPathOf(mail));
      expect(await talk([greeting!, `MAIL FROM:<${from}>`, ...rest, report])).toEqual(accepted);
      statuses.push((await read(mail)).status);
    }
    expect(statuses).toEqual(['SENT', 'BOUNCED']);
  });

  it('of a changed or foreign address, or to be relayed, is refused', async () => {
    const mail = await buildMail();
    const address = returnPathOf(mail);
    for (const to of [
      address.replace('bounces+', 'bounces+0').replace(/.\./, '.'),
      address.replace('.', '-1.'),
      address.replace(/\.(.)/, (_, digit: string) => `.${digit === '0' ? '1' : '0'}`),
      'postmaster@bounces.shop.example',
      'ada@example.org',
    ])
      expect((await talk(['EHLO mx.example', 'MAIL FROM:<>', `RCPT TO:<${to}>`]))[3]).toBe('550');
    expect((await read(mail)).events).toHaveLength(1);
  });

  it('is refused with bare line ends, too large, or with too many recipients', async () => {
    const mail = await buildMail();
    const address = returnPathOf(mail);
    for (const line of ['smuggled\n', 'smuggled\n.\n', 'smuggled\r', '\rx', '\n'])
      expect(
        (await talk([...envelope(address), Buffer.from(`Subject: x\r\n\r\n${line}\r\n.\r\n`)])).at(-1),
      ).toBe('554');
    const large = Buffer.from(`Subject: x\r\n\r\n${`${'x'.repeat(998)}\r\n`.repeat(20_000)}.\r\n`);
    expect((await talk([...envelope(address), large])).at(-1)).toBe('552');
    expect((await talk(['EHLO mx.example', 'MAIL FROM:<> SIZE=20000000'])).at(-1)).toBe('552');
    const many = Array.from({ length: 11 }, (_, index) => `RCPT TO:<${address.replace('@', `@x${index}.`)}>`);
    expect((await talk(['EHLO mx.example', 'MAIL FROM:<>', ...many])).slice(3)).toEqual([
      ...Array.from({ length: 10 }, () => '250'),
      '452',
    ]);
    expect((await read(mail)).events).toHaveLength(1);
  });

  it('needs a greeting with a host name, and offers no login', async () => {
    expect((await talk(['MAIL FROM:<>']))[1]).toBe('503');
    expect((await talk(['EHLO not_a_name!', 'MAIL FROM:<>']))[2]).toBe('550');
    expect((await talk(['EHLO [127.0.0.1]', 'MAIL FROM:<>']))[2]).toBe('250');
    expect((await talk(['EHLO mx.example', 'AUTH PLAIN']))[2]).toBe('500');
  });

  it('waits at its server while nothing can be stored', async () => {
    const mail = await buildMail();
    suite.line.cut();
    try {
      expect((await talk([...envelope(returnPathOf(mail)), bounce()])).at(-1)).toBe('451');
    } finally {
      suite.line.fix();
    }
  });

  withSwaks('that swaks sends is taken (needs: apt-get install swaks)', async () => {
    const mail = await buildMail();
    const child = spawn('swaks', [
      ...['--server', '127.0.0.1', '--port', String(port), '--from', '<>', '--to', returnPathOf(mail)],
      ...[
        '--ehlo',
        'mx.example',
        '--data',
        bounce()
          .toString()
          .replace(/\.\r\n$/, ''),
      ],
    ]);
    const code = await new Promise((resolve) => {
      child.on('error', resolve);
      child.on('close', resolve);
      child.stdout.resume();
      child.stderr.resume();
    });
    expect([code, (await read(mail)).status]).toEqual([0, 'BOUNCED']);
  });
});

describe('mail to the address for complaints', () => {
  const complaint = (about: string) =>
    Buffer.from(
      `From: abuse@isp.example\r\nSubject: complaint\r\nMIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=feedback-report; boundary="b"\r\n\r\n--b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\nUser-Agent: isp/1\r\nVersion: 1\r\n\r\n${about}--b--\r\n.\r\n`,
    );
  const to = 'complaints@bounces.shop.example';

  it('is a complaint about the message whose return path it returns', async () => {
    const mail = await buildMail();
    const original = `--b\r\nContent-Type: message/rfc822\r\n\r\nReturn-Path: <${returnPathOf(mail)}>\r\nSubject: Your order\r\n\r\nThank you.\r\n`;
    expect(await talk([...envelope(to), complaint(original)])).toEqual(accepted);
    const { complainedAt, status } = await read(mail);
    expect([complainedAt !== null, status]).toEqual([true, 'SENT']);
  });

  it('without the message is taken and ignored', async () => {
    expect(await talk([...envelope(to), complaint('')])).toEqual(accepted);
  });
});
