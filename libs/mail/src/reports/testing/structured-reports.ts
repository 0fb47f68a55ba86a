import { delayed, dsn, failed, fieldsOf, soft, to, type Sample } from './samples.js';

export const structuredReports: readonly Sample[] = [
  dsn('Postfix, unknown user', failed('5.1.1'), {
    text: `This is the mail system at host mx.example.

I'm sorry to have to inform you that your message could not
be delivered to one or more recipients. It's attached below.

                   The mail system

<ada@example.org>: host mx.example.org[203.0.113.5] said: 550 5.1.1
    <ada@example.org>: Recipient address rejected: User unknown in virtual
    mailbox table (in reply to RCPT TO command)`,
    fields: `Reporting-MTA: dns; mx.example
X-Postfix-Queue-ID: 4Bd1k2
X-Postfix-Sender: rfc822; ${to}
Arrival-Date: Mon,  2 Nov 2026 10:00:00 +0000 (UTC)

Final-Recipient: rfc822; ada@example.org
Original-Recipient: rfc822;ada@example.org
Action: failed
Status: 5.1.1
Remote-MTA: dns; mx.example.org
Diagnostic-Code: smtp; 550 5.1.1 <ada@example.org>: Recipient address rejected:
    User unknown in virtual mailbox table
`,
  }),
  dsn('Postfix, host not found', failed('5.4.4'), {
    fields: fieldsOf(
      '5.4.4',
      'X-Postfix; Host or domain name not found. Name service error for name=nowhere.example type=A: Host not found',
    ),
  }),
  dsn('Postfix, given up', soft('4.4.1'), {
    fields: fieldsOf('4.4.1', 'X-Postfix; connect to mx.example.org[203.0.113.5]:25: Connection timed out'),
  }),
  dsn('Postfix, delay', delayed, {
    subject: 'Delayed Mail (still being retried)',
    text: `####################################################################
# THIS IS A WARNING ONLY.  YOU DO NOT NEED TO RESEND YOUR MESSAGE. #
####################################################################`,
    fields: fieldsOf('4.4.1', 'X-Postfix; connect to mx.example.org[203.0.113.5]:25: Connection refused', {
      action: 'delayed',
      more: 'Will-Retry-Until: Sat,  7 Nov 2026 10:00:00 +0000 (UTC)\n',
    }),
  }),
  dsn(
    'Postfix, successful',
    { kind: 'DELIVERED' },
    {
      subject: 'Successful Mail Delivery Report',
      fields: fieldsOf('2.0.0', 'smtp; 250 2.0.0 Ok: queued as 4Bd1k3', { action: 'delivered' }),
    },
  ),
  dsn(
    'Postfix, relayed',
    { kind: 'SENT' },
    { fields: fieldsOf('2.0.0', 'smtp; 250 ok', { action: 'relayed' }) },
  ),
  dsn('Sendmail, unknown user', failed('5.1.1'), {
    from: 'Mail Delivery Subsystem <MAILER-DAEMON@sendmail.example>',
    subject: 'Returned mail: see transcript for details',
    text: `The original message was received at Mon, 2 Nov 2026 10:00:00 GMT
from shop.example [203.0.113.7]

   ----- The following addresses had permanent fatal errors -----
<ada@example.org>
    (reason: 550 5.1.1 <ada@example.org>... User unknown)

   ----- Transcript of session follows -----
... while talking to mx.example.org.:
>>> DATA
<<< 550 5.1.1 <ada@example.org>... User unknown
550 5.1.1 <ada@example.org>... User unknown`,
    fields: fieldsOf('5.1.1', 'SMTP; 550 5.1.1 <ada@example.org>... User unknown', {
      more: 'Remote-MTA: DNS; mx.example.org\nLast-Attempt-Date: Mon, 2 Nov 2026 10:00:04 GMT\n',
    }),
    returnedType: 'text/rfc822-headers',
  }),
  dsn('Sendmail, could not send for four hours', delayed, {
    subject: 'Warning: could not send message for past 4 hours',
    fields: fieldsOf('4.4.1', '', { action: 'delayed' }),
  }),
  dsn('Exim with a report, unroutable', failed('5.0.0'), {
    subject: 'Mail delivery failed: returning message to sender',
    fields: fieldsOf('5.0.0', ''),
  }),
  dsn('Exim with a report, refused', failed('5.1.1'), {
    subject: 'Mail delivery failed: returning message to sender',
    fields: fieldsOf('5.0.0', 'smtp; 550 5.1.1 The email account that you tried to reach does not exist.', {
      more: 'Remote-MTA: dns; mx.example.org\n',
    }),
  }),
  dsn('Gmail, no such user', failed('5.1.1'), {
    from: 'Mail Delivery Subsystem <mailer-daemon@googlemail.com>',
    subject: 'Delivery Status Notification (Failure)',
    text: `** Address not found **

Your message wasn't delivered to ada@example.org because the address couldn't be found, or is unable to receive mail.`,
    fields: fieldsOf(
      '5.1.1',
      "smtp; 550-5.1.1 The email account that you tried to reach does not exist. Please try\n 550-5.1.1 double-checking the recipient's email address for typos or\n 550 5.1.1 unnecessary spaces.",
      {
        more: 'Remote-MTA: dns; gmail-smtp-in.l.google.com. (203.0.113.26, the server for the domain example.org.)\n',
      },
    ),
  }),
  dsn('Gmail, over quota', soft('5.2.2'), {
    subject: 'Delivery Status Notification (Failure)',
    fields: fieldsOf('5.2.2', "smtp; 552-5.2.2 The recipient's inbox is out of storage space."),
  }),
  dsn('Gmail, delay', delayed, {
    subject: 'Delivery Status Notification (Delay)',
    fields: fieldsOf('4.4.1', 'smtp; The recipient server did not accept our requests to connect.', {
      action: 'delayed',
    }),
  }),
  dsn('Gmail, unauthenticated', failed('5.7.26'), {
    fields: fieldsOf(
      '5.7.26',
      'smtp; 550-5.7.26 Your email has been blocked because the sender is unauthenticated.',
    ),
  }),
];
