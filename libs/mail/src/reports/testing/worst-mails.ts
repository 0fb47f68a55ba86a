import { worstText } from '@posthorn/testing';

const head = 'From: MAILER-DAEMON@mx.example\r\nSubject: failure\r\n';
const multipart = `${head}Content-Type: multipart/report; boundary=b\r\n\r\n`;
const typed = (type: string) => `${head}Content-Type: ${type}\r\n\r\n`;
const encoded = (encoding: string) => `${head}Content-Transfer-Encoding: ${encoding}\r\n\r\n`;
const inside = (type: string) => `${multipart}--b\r\nContent-Type: ${type}\r\n\r\n`;
const rfc822 = '--b\r\nContent-Type: message/rfc822\r\n\r\n';

function forwarded(times: number): Buffer {
  let mail = `${head}\r\n${'message/delivery-status '.repeat(44_000)}`;
  for (let depth = 0; depth < times; depth += 1)
    mail = `Subject: Fwd\r\nContent-Type: multipart/mixed; boundary=f${depth}\r\n\r\n--f${depth}\r\nContent-Type: message/rfc822\r\n\r\n${mail}`;
  return Buffer.from(mail);
}

const nested = Array.from(
  { length: 20_000 },
  (_, depth) => `Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}\r\n`,
).join('');

/** 1 MiB each of what takes a parser of mail longest. */
export const worstMails: Readonly<Record<string, Buffer>> = {
  'empty lines': worstText('\r\n', `${head}\r\n`),
  'line feeds': worstText('\n', `${head}\n`),
  'groups of addresses': worstText('a:b@c;', 'To: '),
  'open groups of addresses': worstText('a:', 'From: '),
  'folded groups of addresses': worstText('a:b@c;\r\n ', `${head}To: `),
  'many lists of addresses': worstText('To: a:b@c;,a:b@c;,a:b@c;\r\n'),
  'quoted names': worstText('"a" <', 'From: '),
  'encoded words': worstText('=?utf-8?q?a?= ', 'Subject: '),
  'beginnings of encoded words': worstText('=?', 'Subject: '),
  comments: worstText('(', 'From: '),
  'parameters of a type': worstText('; b*0*=x', `${head}Content-Type: text/plain`),
  'short headers': worstText('a:\r\n'),
  'folded headers': worstText(' \r\n', 'Subject:\r\n'),
  boundaries: worstText('--b\r\n', multipart),
  'empty parts': worstText('--b\r\n\r\n', multipart),
  'small parts': worstText('--b\r\nContent-Type: text/html\r\n\r\n<\r\n', multipart),
  'parts in parts': Buffer.from(nested.slice(0, 1024 * 1024)),
  'long boundaries': worstText(
    `${'-'.repeat(60_000)}x\r\n`,
    typed(`multipart/report; boundary="${'-'.repeat(60_000)}"`),
  ),
  'parts of alternatives': worstText(
    '--c\r\nContent-Type: text/html\r\n\r\n<p>\r\n',
    inside('multipart/alternative; boundary=c'),
  ),
  'quoted-printable lines': worstText('=\r\n', encoded('quoted-printable')),
  'quoted-printable signs': worstText('=', encoded('quoted-printable')),
  'base64 lines': worstText('a\r\n', encoded('base64')),
  'flowed text': worstText(' \r\n', typed('text/plain; format=flowed; delsp=yes')),
  'tags of HTML': worstText('<a href="', typed('text/html')),
  'tables of HTML': worstText('<table><tr><td>', typed('text/html')),
  'entities of HTML': worstText('&amp', typed('text/html')),
  'escapes of a character set': worstText('\x1b$B', typed('text/plain; charset=iso-2022-jp')),
  'blocks of a status': worstText('Action: failed\r\n\r\n', inside('message/delivery-status')),
  'blank lines of a status': worstText('\r\n ', inside('message/delivery-status')),
  'a long field of a status': worstText('a', `${inside('message/delivery-status')}Final-Recipient: `),
  'fields of a complaint': worstText('Feedback-Type: abuse\r\n', inside('message/feedback-report')),
  'words of a bounce': worstText('mailbox exceed user ', `${head}\r\n`),
  'codes of a bounce': worstText('5.1.1 550 ', `${head}\r\n`),
  'signs of a copy': worstText('------ \r\n', `${head}\r\n`),
  'forwarded mail': forwarded(6),
  'many returned mails': worstText(`${rfc822}\r\nmessage/delivery-status\r\n`, multipart),
  'mail in many returned mails': worstText(
    `${rfc822}Content-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: message/rfc822\r\n\r\nmessage/delivery-status\r\n`,
    multipart,
  ),
};
