import { crlf, nothing, plain, returned, to, type Sample } from './samples.js';

const arf = (type: string, original: string, more = ''): string =>
  crlf(`From: <abusedesk@isp.example>
To: complaints@mail.shop.example
Subject: FW: Your order
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary="part"

--part
Content-Type: text/plain; charset="US-ASCII"

This is an email abuse report for an email message received from IP 203.0.113.7.

--part
Content-Type: message/feedback-report

Feedback-Type: ${type}
User-Agent: SomeGenerator/1.0
Version: 1
${more}Reporting-MTA: dns; mail.isp.example
Arrival-Date: Mon, 2 Nov 2026 10:00:00 -0500

${original ? `--part\nContent-Type: message/rfc822\n\n${original}\n` : ''}--part--
`);

export const complaints: readonly Sample[] = [
  { name: 'ARF', raw: arf('abuse', returned), kind: 'COMPLAINED' },
  { name: 'ARF with the sender', raw: arf('abuse', '', `Original-Mail-From: <${to}>\n`), kind: 'COMPLAINED' },
  { name: 'ARF of a virus', raw: arf('virus', returned), kind: 'COMPLAINED' },
  { name: 'ARF that takes a complaint back', raw: arf('not-spam', returned), kind: null },
];

export const noReports: readonly Sample[] = [
  plain('an automatic reply', nothing, 'I am away until Monday.', {
    from: 'Ada <ada@example.org>',
    subject: 'Automatic reply: Your order',
    headers: 'Auto-Submitted: auto-replied\n',
  }),
  plain('an automatic reply in the name of a server', nothing, 'The user is unknown to be here this week.', {
    subject: 'Automatic reply: Your order',
    headers: 'Auto-Submitted: auto-replied\n',
  }),
  plain('an automatic reply that quotes a bounce', nothing, 'I am away. > 550 5.1.1 User unknown', {
    from: 'Ada <ada@example.org>',
    subject: 'Re: Undelivered mail',
    headers: 'Auto-Submitted: auto-replied\n',
  }),
  plain('a vacation notice', nothing, 'Ich bin im Urlaub.', {
    from: 'Ada <ada@example.org>',
    subject: 'Abwesenheitsnotiz',
    headers: 'Precedence: auto_reply\n',
  }),
  plain('an out of office reply without headers', nothing, 'Out until Monday; the mailbox is full of mail.', {
    from: 'Ada <ada@example.org>',
    subject: 'Out of Office',
  }),
  plain('a vacation notice of a server', nothing, 'The user is away.', {
    subject: 'Out of office',
    headers: 'X-Autoreply: yes\n',
  }),
  plain('a question', nothing, 'Which user is unknown?', {
    from: 'Ada <ada@example.org>',
    subject: 'A question',
  }),
  plain('a newsletter', nothing, 'Our prices', { from: 'news@other.example', subject: 'News' }),
];
