import { hash } from 'node:crypto';
import { formatAddressList, type MailAddress } from './address.js';
import { encodeText } from './encoded-word.js';
import { formatExtraHeaders } from './header-rules.js';
import { MailSyntaxError, refuseLineBreaks } from './mail-syntax-error.js';
import { textFromHtml } from './text-part.js';
import { encodeBody, type EncodedBody } from './transfer-encoding.js';

export interface OutgoingMessage {
  /** Without angle brackets. */
  messageId: string;
  date: Date;
  from: MailAddress;
  to: readonly MailAddress[];
  cc?: readonly MailAddress[];
  replyTo?: readonly MailAddress[];
  subject: string;
  html: string;
  /** Derived from the HTML when missing. */
  text?: string;
  /** `X-…`, threading, and those that the service sets itself; anything else is refused. */
  headers?: readonly (readonly [name: string, value: string])[];
  /** Fixes the boundary, so that a repeat of a message has the same bytes (and the same DKIM signature). */
  boundarySeed: string;
}

export interface BuiltMessage {
  raw: Buffer;
  /** A header holds a non-ASCII local part: the server must offer SMTPUTF8. */
  utf8: boolean;
}

/** RFC 5322 message, multipart/alternative of text and HTML. The same input always gives the same bytes. */
export function buildMessage(message: OutgoingMessage): BuiltMessage {
  const text = encodeBody(message.text ?? textFromHtml(message.html));
  const html = encodeBody(message.html);
  const boundary = freeBoundary(message.boundarySeed, text.content, html.content);
  const { block, utf8 } = formatHeaders(message);
  const raw =
    `${block}MIME-Version: 1.0\r\nContent-Type: multipart/alternative;\r\n boundary="${boundary}"\r\n\r\n` +
    `${formatPart(boundary, 'plain', text)}${formatPart(boundary, 'html', html)}--${boundary}--\r\n`;
  return { raw: utf8 ? Buffer.from(raw, 'utf8') : Buffer.from(raw, 'latin1'), utf8 };
}

function formatHeaders(message: OutgoingMessage): { block: string; utf8: boolean } {
  refuseLineBreaks('subject', message.subject);
  const from = formatAddressList('From', [message.from]);
  let block = `From: ${from.value}\r\n`;
  let utf8 = from.utf8;
  const addresses = [
    ['To', message.to],
    ['Cc', message.cc],
    ['Reply-To', message.replyTo],
  ] as const;
  for (const [name, list] of addresses) {
    if (list !== undefined && list.length > 0) {
      const formatted = formatAddressList(name, list);
      block += `${name}: ${formatted.value}\r\n`;
      utf8 ||= formatted.utf8;
    }
  }
  block += `Subject: ${encodeText(message.subject, 9)}\r\nDate: ${formatDate(message.date)}\r\nMessage-ID: <${checkMessageId(message.messageId)}>\r\n`;
  return { block: message.headers === undefined ? block : block + formatExtraHeaders(message.headers), utf8 };
}

function formatPart(boundary: string, subtype: 'plain' | 'html', body: EncodedBody): string {
  return `--${boundary}\r\nContent-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: ${body.encoding}\r\n\r\n${body.content}\r\n`;
}

/** `=_` cannot occur in quoted-printable or base64; a 7-bit body that holds the very boundary gets the next one. */
function freeBoundary(seed: string, text: string, html: string): string {
  let boundary = `=_${hash('sha256', seed, 'hex').slice(0, 32)}`;
  while (text.includes(boundary) || html.includes(boundary)) boundary = `=_${hash('sha256', boundary, 'hex').slice(0, 32)}`;
  return boundary;
}

function formatDate(date: Date): string {
  if (Number.isNaN(date.getTime())) throw new MailSyntaxError('date', 'is not a date');
  return date.toUTCString().replace('GMT', '+0000');
}

function checkMessageId(id: string): string {
  if (!/^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+@[A-Za-z0-9.[\]:-]+$/.test(id) || id.length > 250)
    throw new MailSyntaxError('messageId', 'is not a message id');
  return id;
}
