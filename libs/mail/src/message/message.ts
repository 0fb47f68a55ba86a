import { formatAddressList, type MailAddress } from './address.js';
import { encodeText } from './encoded-word.js';
import { formatExtraHeaders } from './header-rules.js';
import { MailSyntaxError, refuseLineBreaks } from './mail-syntax-error.js';
import {
  attachmentPart,
  multipart,
  textPart,
  writeLines,
  type FileLines,
  type MailAttachment,
  type MimePart,
} from './mime-part.js';
import { textFromHtml } from './text-part.js';

export interface OutgoingMessage {
  /** Without angle brackets. */
  messageId: string;
  date: Date;
  from: MailAddress;
  to: readonly MailAddress[];
  cc?: readonly MailAddress[];
  replyTo?: readonly MailAddress[];
  subject: string;
  /** Empty where the message is text only. */
  html: string;
  /** Derived from the HTML when missing. */
  text?: string;
  /** What it is derived from, where the HTML bears more than its words. */
  textFrom?: string;
  attachments?: readonly MailAttachment[];
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

/** RFC 5322 message: text and HTML side by side, what the HTML shows beside it, files behind them. The same input always gives the same bytes. */
export function buildMessage(message: OutgoingMessage): BuiltMessage {
  const { headers, body } = wholeOf(message);
  const { block, utf8 } = formatHeaders(message);
  const encoding = utf8 ? 'utf8' : 'latin1';
  const head = Buffer.from(`${block}MIME-Version: 1.0\r\n${headers}\r\n`, encoding);
  const end = body.at(-1) !== undefined && endsLine(body.at(-1)!) ? [] : ['\r\n'];
  return { raw: joined(head, [...body, ...end]), utf8 };
}

/** Every part is 7-bit by now; only headers may need more. */
function joined(head: Buffer, body: (string | FileLines)[]): Buffer {
  const raw = Buffer.allocUnsafe(body.reduce((sum, { length }) => sum + length, head.length));
  let at = head.copy(raw);
  for (const piece of body)
    at = typeof piece === 'string' ? at + raw.write(piece, at, 'latin1') : writeLines(raw, at, piece);
  return raw;
}

/** RFC 2046 §5.1: mixed holds the files, related what the HTML names, alternative the two ways to read it. */
function wholeOf({ html, text, textFrom = html, attachments = [], boundarySeed }: OutgoingMessage): MimePart {
  const shown = attachments.filter(
    ({ disposition, contentId }) => disposition === 'inline' && contentId !== null,
  );
  const files = attachments.filter((attachment) => !shown.includes(attachment));
  const texts = textPart('plain', text ?? textFromHtml(textFrom));
  const rich =
    html === ''
      ? []
      : [multipart('related', [textPart('html', html), ...shown.map(attachmentPart)], boundarySeed)];
  const body = multipart('alternative', [texts, ...rich], boundarySeed);
  // Without HTML nothing can show them.
  const after = html === '' ? attachments : files;
  return multipart('mixed', [body, ...after.map(attachmentPart)], boundarySeed);
}

const endsLine = (piece: string | FileLines): boolean => typeof piece === 'string' && piece.endsWith('\r\n');

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

function formatDate(date: Date): string {
  if (Number.isNaN(date.getTime())) throw new MailSyntaxError('date', 'is not a date');
  return date.toUTCString().replace('GMT', '+0000');
}

function checkMessageId(id: string): string {
  if (!/^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+@[A-Za-z0-9.[\]:-]+$/.test(id) || id.length > 250)
    throw new MailSyntaxError('messageId', 'is not a message id');
  return id;
}
