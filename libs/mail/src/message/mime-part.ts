import { hash } from 'node:crypto';
import { formatParameter, readMediaType } from './mime-parameter.js';
import { encodeBody, sevenBitLines } from './transfer-encoding.js';

export interface MailAttachment {
  filename: string;
  contentType: string;
  contentId: string | null;
  disposition: 'attachment' | 'inline';
  data: Uint8Array;
}

/** Encoded while the message is assembled, so that its base64 is not in memory twice. */
export interface FileLines {
  data: Buffer;
  length: number;
}

export interface MimePart {
  headers: string;
  body: (string | FileLines)[];
  /** Whether a boundary could occur in it: encoded parts never contain `=_`. */
  isPlain: boolean;
}

const lineOctets = 57;
const lineCharacters = 76;
const encodedAtOnce = lineOctets * 512;

export function textPart(subtype: 'plain' | 'html', text: string): MimePart {
  const { encoding, content } = encodeBody(text);
  return {
    headers: `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n`,
    body: [content],
    isPlain: encoding === '7bit',
  };
}

export function attachmentPart({
  filename,
  contentType,
  contentId,
  disposition,
  data,
}: MailAttachment): MimePart {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const { type, parameters } = readMediaType(contentType);
  // Encoding a message is forbidden (RFC 2046 §5.2.1), so one that needs it goes as a mere file.
  const message = type.startsWith('message/') ? sevenBitLines(bytes) : null;
  const sentAs =
    type.startsWith('message/') && message === null ? 'application/octet-stream' : type + parameters;
  const id = contentId === null ? '' : `Content-ID: <${contentId}>\r\n`;
  return {
    headers:
      `Content-Type: ${sentAs};${formatParameter('name', filename)}\r\n` +
      `Content-Transfer-Encoding: ${message === null ? 'base64' : '7bit'}\r\n` +
      `${id}Content-Disposition: ${disposition};${formatParameter('filename', filename)}\r\n`,
    body: [message ?? fileLines(bytes)],
    isPlain: message !== null,
  };
}

/** `seed` fixes the boundary, so that a resent message has the same bytes. */
export function multipart(
  subtype: 'alternative' | 'related' | 'mixed',
  parts: readonly MimePart[],
  seed: string,
): MimePart {
  if (parts.length === 1) return parts[0]!;
  const boundary = freeBoundary(`${seed}${subtype === 'alternative' ? '' : subtype}`, parts);
  const type = subtype === 'related' ? ' type="text/html";' : '';
  return {
    headers: `Content-Type: multipart/${subtype};${type}\r\n boundary="${boundary}"\r\n`,
    body: [
      ...parts.flatMap(({ headers, body }) => [`--${boundary}\r\n${headers}\r\n`, ...body, '\r\n']),
      `--${boundary}--\r\n`,
    ],
    isPlain: parts.some(({ isPlain }) => isPlain),
  };
}

function fileLines(data: Buffer): FileLines {
  const breaks = Math.max(0, Math.ceil(data.length / lineOctets) - 1);
  return { data, length: 4 * Math.ceil(data.length / 3) + 2 * breaks };
}

export function writeLines(message: Buffer, start: number, { data }: FileLines): number {
  let at = start;
  for (let from = 0; from < data.length; from += encodedAtOnce) {
    const characters = data.toString('base64', from, from + encodedAtOnce);
    for (let line = 0; line < characters.length; line += lineCharacters) {
      if (at > start) at += message.write('\r\n', at, 'latin1');
      at += message.write(characters.slice(line, line + lineCharacters), at, 'latin1');
    }
  }
  return at;
}

/** `=_` cannot occur in quoted-printable or base64; a 7-bit part may contain the boundary by chance. */
function freeBoundary(seed: string, parts: readonly MimePart[]): string {
  let boundary = `=_${hash('sha256', seed, 'hex').slice(0, 32)}`;
  const holds = ({ isPlain, body }: MimePart) =>
    isPlain && body.some((piece) => typeof piece === 'string' && piece.includes(boundary));
  while (parts.some(holds)) boundary = `=_${hash('sha256', boundary, 'hex').slice(0, 32)}`;
  return boundary;
}
