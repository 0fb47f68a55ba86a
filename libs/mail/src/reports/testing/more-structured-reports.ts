import { delayed, dsn, failed, fieldsOf, soft, type Sample } from './samples.js';

export const moreStructuredReports: readonly Sample[] = [
  dsn('Exchange Online, no recipient', failed('5.1.10'), {
    from: 'Microsoft Outlook <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@example.onmicrosoft.com>',
    subject: 'Undeliverable: Your order',
    text: `[https://products.office.com/en-us/CMSImages/Office365Logo_Orange.png]
Your message to ada@example.org couldn't be delivered.
ada wasn't found at example.org.`,
    fields: `Reporting-MTA: dns;AM0PR01MB1234.eurprd01.prod.exchangelabs.com
Received-From-MTA: dns;shop.example
Arrival-Date: Mon, 2 Nov 2026 10:00:00 +0000

Final-Recipient: rfc822;ada@example.org
Action: failed
Status: 5.1.10
Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient ada@example.org not found by SMTP address lookup
X-Display-Name: ada@example.org
`,
  }),
  dsn('Exchange, mailbox full', soft('5.2.2'), {
    subject: 'Unzustellbar: Your order',
    fields: fieldsOf(
      '5.2.2',
      'smtp;554 5.2.2 STOREDRV.Deliver; mailbox full. The following information should help identify the cause of this issue',
    ),
  }),
  dsn('Exchange, access denied', failed('5.4.1'), {
    fields: fieldsOf('5.4.1', 'smtp;550 5.4.1 Recipient address rejected: Access denied.'),
  }),
  dsn('Exchange, message expired', soft('4.4.7'), {
    subject: 'Undeliverable: Your order',
    fields: fieldsOf('4.4.7', 'smtp;550 4.4.7 QUEUE.Expired; message expired'),
  }),
  dsn('Exchange, delay', delayed, {
    subject: 'Delivery delayed: Your order',
    fields: fieldsOf('4.4.7', '', { action: 'delayed' }),
  }),
  dsn('Exchange, not permitted', failed('5.7.133'), {
    fields: fieldsOf(
      '5.7.133',
      'smtp;550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required',
    ),
  }),
  dsn('Domino', failed('5.1.1'), {
    subject: 'DELIVERY FAILURE: User ada (ada@example.org) not listed in Domino Directory',
    fields: fieldsOf('5.1.1', 'X-Notes; User ada (ada@example.org) not listed in Domino Directory'),
  }),
  dsn('GroupWise', failed('5.0.0'), {
    subject: 'Message status - undeliverable',
    fields: fieldsOf('5.0.0', 'x-gw; User not found'),
  }),
  dsn('OpenSMTPD', failed('5.1.1'), {
    subject: 'Delivery status notification: error',
    fields: fieldsOf('5.1.1', 'smtp; 550 Invalid recipient: <ada@example.org>'),
  }),
  dsn('OpenSMTPD, warning', delayed, {
    subject: 'Delivery status notification: delayed',
    fields: fieldsOf('4.0.0', '', { action: 'delayed' }),
  }),
  dsn('Haraka', failed('5.1.1'), {
    from: 'MAILER-DAEMON@haraka.example',
    fields: fieldsOf('5.1.1', 'smtp;550 5.1.1 no such user', { mta: 'dns;haraka.example' }),
  }),
  dsn('Courier', failed('5.0.0'), {
    subject: 'NOTICE: mail delivery status.',
    fields: fieldsOf('5.0.0', 'smtp; 550 User unknown.', { mta: 'dns; courier.example [203.0.113.9]' }),
  }),
  dsn('Amazon SES', failed('5.1.1'), {
    from: 'MAILER-DAEMON@email-smtp.example',
    subject: 'Delivery Status Notification (Failure)',
    fields: fieldsOf('5.1.1', 'smtp; 550 5.1.1 user unknown', { mta: 'dns; a8-50.smtp-out.amazonses.com' }),
  }),
  dsn('iCloud', failed('5.1.1'), {
    fields: fieldsOf('5.1.1', 'smtp;550 5.1.1 <ada@icloud.example>: user does not exist'),
  }),
  dsn('Yahoo', failed('5.0.0'), {
    fields: fieldsOf(
      '5.0.0',
      "smtp; 554 delivery error: dd This user doesn't have a yahoo.example account (ada@yahoo.example) [-15] - mta1234.mail.bf1.yahoo.example",
    ),
  }),
  dsn('Yahoo, deferred to death', soft('4.0.0'), {
    fields: fieldsOf(
      '4.0.0',
      'smtp; 421 4.7.0 [TSS04] Messages from 203.0.113.7 temporarily deferred',
    ).replace('421 4.7.0', '421'),
  }),
  dsn('Comcast, blocked', failed('5.7.1'), { fields: fieldsOf('5.7.1', 'smtp; 550 5.7.1 blocked for spam') }),
  dsn('Orange', failed('5.1.1'), {
    fields: fieldsOf(
      '5.1.1',
      'smtp; 550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. OFR_416',
    ),
  }),
  dsn('GMX', failed('5.0.0'), {
    fields: fieldsOf('5.0.0', 'smtp; 550 Requested action not taken: mailbox unavailable'),
  }),
  dsn('Zimbra', soft('4.2.2'), { fields: fieldsOf('4.2.2', 'smtp; 452 4.2.2 Over quota') }),
  dsn('MDaemon', failed('5.1.1'), {
    subject: 'MDaemon Notification -- Delivery Failure',
    fields: fieldsOf('5.1.1', 'smtp;550 5.1.1 Recipient unknown <ada@example.org>'),
  }),
  dsn('Mimecast', failed('5.0.0'), {
    fields: fieldsOf('5.0.0', 'smtp; 550 Rejected by header based manually Blocked Senders'),
  }),
  dsn('Barracuda', failed('5.0.0'), {
    fields: fieldsOf(
      '5.0.0',
      'smtp; 550 permanent failure for one or more recipients (ada@example.org:blocked)',
    ),
  }),
  dsn('a comment after the action', failed('5.1.1'), {
    fields: fieldsOf('5.1.1 (Bad destination mailbox address)', '', {
      action: 'failed (bad destination mailbox address)',
    }),
  }),
  dsn('an expanded list of which one member failed', failed('5.1.1'), {
    fields: `${fieldsOf('2.0.0', '', { action: 'expanded' })}
Final-Recipient: rfc822; member@elsewhere.example
Action: failed
Status: 5.1.1
`,
  }),
  dsn('two line ends between the blocks', failed('5.1.2'), {
    fields: fieldsOf('5.1.2', 'smtp; 550 unknown domain').replace('\n\n', '\n\n\n'),
  }),
  dsn('no status, but a refusal in words', failed('5.1.1'), {
    fields: `Reporting-MTA: dns; mx.example\n\nFinal-Recipient: rfc822; ada@example.org\nAction: failed\nDiagnostic-Code: smtp; 550 5.1.1 unknown\n`,
  }),
];
