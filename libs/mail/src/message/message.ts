import { formatAddressList, type MailAddress } from './address.js';
import { encodeText, encodeWords, fold } from './encoded-word.js';
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
  messageId: string;
  date: Date;
  from: MailAddress;
  to: readonly MailAddress[];
  cc?: readonly MailAddress[];
  replyTo?: readonly MailAddress[];
  subject: string;
  html: string;
  text?: string;
  /** The HTML from which the text is derived, where `html` contains tracking. */
  textFrom?: string;
  attachments?: readonly MailAttachment[];
  /** `X-…`, threading headers and those of the service; others are refused. */
  headers?: readonly (readonly [name: string, value: string])[];
  /** Fixes the boundary, so that a resent message has the same bytes and the same DKIM signature. */
  boundarySeed: string;
}

export interface BuiltMessage {
  raw: Buffer;
  utf8: boolean;
}

export function buildMessage(message: OutgoingMessage): BuiltMessage {
  const { headers, body } = wholeOf(message);
  const { block, utf8 } = formatHeaders(message);
  const encoding = utf8 ? 'utf8' : 'latin1';
  const head = Buffer.from(`${block}MIME-Version: 1.0\r\n${headers}\r\n`, encoding);
  const end = body.at(-1) !== undefined && endsLine(body.at(-1)!) ? [] : ['\r\n'];
  return { raw: joined(head, [...body, ...end]), utf8 };
}

function joined(head: Buffer, body: (string | FileLines)[]): Buffer {
  const raw = Buffer.allocUnsafe(body.reduce((sum, { length }) => sum + length, head.length));
  let at = head.copy(raw);
  for (const piece of body)
    at = typeof piece === 'string' ? at + raw.write(piece, at, 'latin1') : writeLines(raw, at, piece);
  return raw;
}

/** RFC 2046 §5.1: mixed holds attachments, related what the HTML refers to, alternative text and HTML. */
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

/** Message ids and URLs, which encoded words would break (RFC 2047 §5). */
const asciiOnly = new Set([
  'references',
  'in-reply-to',
  'feedback-id',
  'list-unsubscribe',
  'list-unsubscribe-post',
]);
const writtenByMessage = /^(?:from|to|cc|bcc|reply-to|subject|date|message-id|(?:mime|content)-.*)$/i;
const headerName = /^[A-Za-z0-9-]+$/;
const extension = /^x-/i;
const printable = /^[\x20-\x7e]*$/;
const maxValue = 998;

function formatExtraHeaders(headers: readonly (readonly [string, string])[]): string {
  const seen = new Set<string>();
  let block = '';
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (!headerName.test(name) || writtenByMessage.test(name))
      throw new MailSyntaxError(`headers.${JSON.stringify(name)}`, 'is not an allowed header');
    if (seen.has(key)) throw new MailSyntaxError(`headers.${name}`, 'appears twice');
    seen.add(key);
    block += `${name}: ${formatValue(name, value)}\r\n`;
  }
  return block;
}

function formatValue(name: string, value: string): string {
  refuseLineBreaks(`headers.${name}`, value);
  if (value.length > maxValue)
    throw new MailSyntaxError(`headers.${name}`, `longer than ${maxValue} characters`);
  const used = name.length + 2;
  if (extension.test(name)) return encodeText(value, used);
  const isPrintable = printable.test(value);
  if (!isPrintable && asciiOnly.has(name.toLowerCase()))
    throw new MailSyntaxError(`headers.${name}`, 'must be printable ASCII');
  const words = value.trim().replace(/ {2,}/g, ' ');
  const folded = fold(isPrintable ? words : encodeForeignWords(words, used), used);
  if (folded.split('\r\n').some((line, index) => line.length + (index === 0 ? used : 0) > maxValue))
    throw new MailSyntaxError(`headers.${name}`, 'has a line that is too long');
  return folded;
}

/** Other words, such as the id in angle brackets of `List-Id`, are structure and stay as they are. */
function encodeForeignWords(value: string, used: number): string {
  const words = value.split(' ');
  const isForeign = (word: string): boolean => !printable.test(word);
  const [first, last] = [words.findIndex(isForeign), words.findLastIndex(isForeign)];
  const encoded = encodeWords(words.slice(first, last + 1).join(' '), used);
  return [...words.slice(0, first), encoded.replaceAll('\r\n ', ' '), ...words.slice(last + 1)].join(' ');
}
