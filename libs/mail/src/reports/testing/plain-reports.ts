import { delayed, encoded, failed, plain, returned, soft, type Sample } from './samples.js';

const qmailText = `Hi. This is the qmail-send program at mx.example.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<ada@example.org>:
203.0.113.5 does not like recipient.
Remote host said: 550 5.1.1 <ada@example.org>: Recipient address rejected: User unknown
Giving up on 203.0.113.5.

--- Below this line is a copy of the message.

${returned}`;

const eximText = (said: string) => `This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  ada@example.org
${said}

------ This is a copy of the message, including all the headers. ------

${returned}`;

export const plainReports: readonly Sample[] = [
  plain('qmail, refused', failed('5.1.1'), qmailText, { subject: 'failure notice' }),
  plain(
    'qmail, no mailbox',
    failed('5.1.1'),
    `Hi. This is the qmail-send program at mx.example.
I'm afraid I wasn't able to deliver your message to the following addresses.

<ada@example.org>:
Sorry, no mailbox here by that name. (#5.1.1)

--- Below this line is a copy of the message.

${returned}`,
    { subject: 'failure notice' },
  ),
  plain(
    'qmail, host',
    failed('5.1.2'),
    `Hi. This is the qmail-send program at mx.example.

<ada@nowhere.example>:
Sorry, I couldn't find any host named nowhere.example. (#5.1.2)`,
    { subject: 'failure notice' },
  ),
  plain(
    'qmail, too long in the queue',
    soft('4.4.1'),
    `<ada@example.org>:
Sorry, I wasn't able to establish an SMTP connection. (#4.4.1)
I'm not going to try again; this message has been in the queue too long.`,
    { subject: 'failure notice' },
  ),
  plain(
    'Exim, unknown',
    failed('5.1.1'),
    `This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  ada@example.org
    Unknown user

------ This is a copy of the message, including all the headers. ------

${returned}`,
    { subject: 'Mail delivery failed: returning message to sender' },
  ),
  plain('Exim, unknown, as an automatic reply', failed('5.1.1'), eximText('    No Such User Here'), {
    subject: 'Mail delivery failed: returning message to sender',
    headers: 'Auto-Submitted: auto-replied\nX-Failed-Recipients: ada@example.org\n',
  }),
  plain(
    'Exim, refused, as an automatic reply',
    failed('5.1.1'),
    eximText(`    host mx.example.org [203.0.113.5]
    SMTP error from remote mail server after RCPT TO:<ada@example.org>:
    550 5.1.1 <ada@example.org>: Recipient address rejected: User unknown`),
    {
      from: 'Mail Delivery System <Mailer-Daemon@mx.example>',
      subject: 'Mail delivery failed: returning message to sender',
      headers: 'Auto-Submitted: auto-replied\n',
    },
  ),
  plain('Exim of an unusual sender', failed('5.1.1'), eximText('    No Such User Here'), {
    from: 'The host <root@mx.example>',
    subject: 'Your mail',
    headers: 'Auto-Submitted: auto-replied\nX-Failed-Recipients: ada@example.org\n',
  }),
  plain(
    'Exim, refused at RCPT',
    { kind: 'BOUNCED' },
    `This message was created automatically by mail delivery software.

  ada@example.org
    SMTP error from remote mail server after RCPT TO:<ada@example.org>:
    host mx.example.org [203.0.113.5]: 550 No Such User Here`,
  ),
  plain(
    'Exim, warning',
    delayed,
    `This message was created automatically by mail delivery software.
A message that you sent has not yet been delivered to one or more of its
recipients after more than 24 hours on the queue on mx.example.
No action is required on your part. Delivery attempts will continue for some time.`,
    { subject: 'Warning: message 1aBcDe delayed 24 hours' },
  ),
  plain(
    'Yahoo in words',
    failed('5.1.1'),
    `Sorry, we were unable to deliver your message to the following address.

<ada@yahoo.example>:
554: delivery error: dd This user doesn't have an account. 5.1.1`,
    { subject: 'Failure Notice' },
  ),
  plain(
    'AOL style',
    failed('5.1.1'),
    'Your mail to the following recipients could not be delivered because they are not accepting mail.\n\nUser unknown: ada@example.org',
  ),
  plain(
    'MailEnable',
    failed('5.1.1'),
    'MailEnable: Message could not be delivered to some recipients.\nThe following recipient(s) could not be reached:\n\n\t[ada@example.org]: Recipient does not exist',
    { from: 'Postmaster@mailenable.example', subject: 'Message Delivery Failure' },
  ),
  plain(
    'hMailServer',
    { kind: 'BOUNCED' },
    'Your message did not reach some or all of the intended recipients.\n\nThe following recipient(s) could not be reached:\n\nada@example.org\n   Error Type: SMTP\n   Remote server replied: 550 Unknown user',
    { from: 'mailer-daemon@hmail.example', subject: 'Message undeliverable: Your order' },
  ),
  plain('IMail', failed('5.1.1'), 'Unknown user: ada@example.org', {
    from: 'Postmaster <postmaster@imail.example>',
    subject: 'Undeliverable Mail',
  }),
  plain(
    'a full mailbox',
    soft('4.2.2'),
    'The mailbox of the recipient is full, and the message was returned.',
  ),
  plain('quota in other words', soft('4.2.2'), 'ada@example.org: account is over quota'),
  plain(
    'Lotus Notes',
    failed('5.1.1'),
    'Your message could not be delivered because the recipient name is not listed: No such user',
    { subject: 'DELIVERY FAILURE: no such user' },
  ),
  plain('spam', failed('5.7.1'), 'The message was rejected because it looks like spam.'),
  plain('German', failed('5.1.1'), 'Ihre Nachricht konnte nicht zugestellt werden: Empfänger unbekannt', {
    subject: 'Unzustellbar: Ihre Bestellung',
  }),
  plain('French', failed('5.1.1'), "Votre message n'a pas pu être remis : destinataire inconnu", {
    subject: 'Non remis : votre commande',
  }),
  plain('Spanish', failed('5.1.1'), 'Su mensaje no se pudo entregar: el usuario no existe', {
    subject: 'Correo devuelto',
  }),
  encoded(
    'ISO-8859-1',
    failed('5.1.1'),
    'iso-8859-1',
    Buffer.from('Empfänger nicht gefunden: Empf\xe4nger unbekannt', 'latin1'),
  ),
  encoded(
    'Windows-1251',
    failed('5.1.1'),
    'windows-1251',
    Buffer.from('cfeeebfce7eee2e0f2e5ebfc20ede520ede0e9e4e5ed', 'hex'),
  ),
  encoded(
    'KOI8-R',
    failed('5.1.1'),
    'koi8-r',
    Buffer.from('d0cfccd8dacfd7c1d4c5ccd820cec520cec1cac4c5ce', 'hex'),
  ),
  encoded('GB2312', failed('5.1.1'), 'gb2312', Buffer.from('d3c3bba7b2bbb4e6d4da', 'hex')),
  encoded(
    'ISO-2022-JP',
    failed('5.1.1'),
    'iso-2022-jp',
    Buffer.from('1b24422566213c2536213c242c382b2444242b246a245e243b24731b2842', 'hex'),
  ),
  encoded('UTF-8', failed('5.1.1'), 'utf-8', Buffer.from('收件人不存在')),
];
