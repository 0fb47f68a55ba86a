import type { MailReportKind } from '../mail-report.js';

export interface Sample {
  name: string;
  raw: string | Buffer;
  /** Null where the mail is no report. */
  kind: MailReportKind | null;
  statusCode?: string;
}

export type Expected = Pick<Sample, 'kind' | 'statusCode'>;

export const failed = (statusCode: string): Expected => ({ kind: 'BOUNCED', statusCode });
export const soft = (statusCode: string): Expected => ({ kind: 'SOFT_BOUNCED', statusCode });
export const delayed: Expected = { kind: 'DELAYED' };
export const nothing: Expected = { kind: null };

export const crlf = (text: string): string => text.replace(/\r?\n/g, '\r\n');
export const to = 'bounces+id@mail.shop.example';
export const returned = `Return-Path: <${to}>
Received: from shop.example by mx.shop.example; Mon, 2 Nov 2026 10:00:00 +0000
From: The Shop <hello@shop.example>
To: ada@example.org
Subject: Your order
Message-ID: <0190a7c0-1111-7222-8333-444455556666@shop.example>

Thank you.
`;

interface Parts {
  from?: string;
  subject?: string;
  text: string;
  fields: string;
  /** Of the returned part. */
  returnedType?: string;
}

/** A report as RFC 6522 has it. */
export function dsnOf({
  from = 'Mail Delivery System <MAILER-DAEMON@mx.example>',
  subject = 'Undelivered Mail Returned to Sender',
  text,
  fields,
  returnedType = 'message/rfc822',
}: Parts): string {
  return crlf(`From: ${from}
To: ${to}
Subject: ${subject}
Date: Mon, 2 Nov 2026 10:00:05 +0000
Message-ID: <20261102100005.1@mx.example>
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="next"

This is a MIME-encapsulated message.

--next
Content-Type: text/plain; charset=us-ascii

${text}

--next
Content-Type: message/delivery-status

${fields}
--next
Content-Type: ${returnedType}

${returned}
--next--
`);
}

export function dsn(name: string, expected: Expected, parts: Partial<Parts> & { fields: string }): Sample {
  return { name, raw: dsnOf({ text: 'Your message could not be delivered.', ...parts }), ...expected };
}

export function plain(
  name: string,
  expected: Expected,
  text: string,
  {
    from = 'Mail Delivery System <MAILER-DAEMON@mx.example>',
    subject = 'Mail delivery failed',
    headers = '',
  } = {},
): Sample {
  return {
    name,
    raw: crlf(`From: ${from}
To: ${to}
Subject: ${subject}
${headers}Date: Mon, 2 Nov 2026 10:00:05 +0000
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8

${text}
`),
    ...expected,
  };
}

/** Mail in another character set, given as its bytes. */
export function encoded(name: string, expected: Expected, charset: string, bytes: Buffer): Sample {
  const head = `From: MAILER-DAEMON@mx.example\r\nTo: ${to}\r\nSubject: failure notice\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=${charset}\r\nContent-Transfer-Encoding: base64\r\n\r\n`;
  return {
    name,
    raw: head + (bytes.toString('base64').match(/.{1,76}/g) ?? []).join('\r\n') + '\r\n',
    ...expected,
  };
}

export const fieldsOf = (
  status: string,
  diagnostic: string,
  { action = 'failed', mta = 'dns; mx.example', more = '' } = {},
) => `Reporting-MTA: ${mta}
Arrival-Date: Mon, 2 Nov 2026 10:00:00 +0000

Final-Recipient: rfc822; ada@example.org
Action: ${action}
Status: ${status}
${more}${diagnostic ? `Diagnostic-Code: ${diagnostic}\n` : ''}`;
