import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emails, serviceCaller } from '@posthorn/contracts';
import { chooseQuietPort } from '@posthorn/dev';
import { bounds, leastProcessorTimeOf, worstText, talkSmtp } from '@posthorn/testing';
import { buildReportedMails, returnPathOf, type ReportedMail } from '../testing/reported-mail.js';
import { startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
let port: number;
let mail: ReportedMail;
beforeAll(async () => {
  port = await chooseQuietPort();
  suite = await startSendingSuite({ DELIVERY_PAUSED: 'true', INBOUND_PORT: String(port) });
  [mail] = (await buildReportedMails(suite.database, 1, { state: 'SENT' })) as [ReportedMail];
  // A thread begins with the first mail that it reads.
  await post(returnPathOf(suite, mail), Buffer.from('Subject: x\r\n\r\nx'));
});
afterAll(() => suite.stop());

async function post(to: string, raw: Buffer): Promise<string> {
  const steps = ['EHLO mx.example', 'MAIL FROM:<>', `RCPT TO:<${to}>`, 'DATA'];
  return (await talkSmtp(port, [...steps, Buffer.concat([raw, Buffer.from('\r\n.\r\n')])])).at(-1)!;
}
const head = 'From: MAILER-DAEMON@mx.example\r\nSubject: failure\r\n';
const worst: readonly (readonly [string, Buffer])[] = [
  ['empty lines', worstText('\r\n', `${head}\r\n`)],
  ['groups of addresses', worstText('a:b@c;\r\n ', `${head}To: `)],
  ['boundaries', worstText('--b\r\n', `${head}Content-Type: multipart/report; boundary=b\r\n\r\n`)],
];

async function expectWithinBounds(work: () => unknown): Promise<void> {
  const { cpuMs, heldMs } = await leastProcessorTimeOf(work);
  expect(cpuMs).toBeLessThan(bounds.cpuMs);
  expect(heldMs).toBeLessThan(bounds.heldMs);
}

describe('1 MiB from a stranger', () => {
  it.each(worst)('of %s to a return path stays within its bounds', async (_, raw) => {
    await expectWithinBounds(() => post(returnPathOf(suite, mail), raw));
  });

  it('to the address for complaints is not even parsed, unless it returns a message of ours', async () => {
    const parts = `${head}Content-Type: multipart/report; boundary=b\r\n\r\n`;
    const report =
      '--b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\n\r\n--b--\r\n';
    for (const [, raw] of worst) await expectWithinBounds(() => post('complaints@bounces.shop.example', raw));
    const posted = (about: string) =>
      post('complaints@bounces.shop.example', Buffer.from(`${parts}${about}${report}`));
    expect(await posted('')).toBe('250');
    expect((await read()).complainedAt).toBeNull();
    const original = `--b\r\nContent-Type: message/rfc822\r\n\r\nReturn-Path: <${returnPathOf(suite, mail)}>\r\n\r\nx\r\n`;
    expect(await posted(original)).toBe('250');
    expect((await read()).complainedAt).not.toBeNull();
  });

  it('ten times at once holds nobody up, and a bounce beside it is recorded', async () => {
    const to = returnPathOf(suite, mail);
    const { heldMs } = await leastProcessorTimeOf(() =>
      Promise.all(Array.from({ length: 10 }, (_, index) => post(to, worst[index % worst.length]![1]))),
    );
    expect(heldMs).toBeLessThan(bounds.heldMs);
    const flood = Array.from({ length: 10 }, () => post(to, worst[0]![1]));
    const report = `${head}\r\n<${mail.to}>: 550 5.1.1 User unknown\r\n`;
    expect(await post(to, Buffer.from(report))).toBe('250');
    expect((await read()).status).toBe('BOUNCED');
    await Promise.all(flood);
  });

  it('of lines that begin with dots stays within its bounds', async () => {
    await expectWithinBounds(() => post(returnPathOf(suite, mail), worstText('..\r\n', `${head}\r\n`)));
  });
});

const read = () => suite.bus.call(emails.get, serviceCaller('gateway', mail.projectId), { id: mail.id });
