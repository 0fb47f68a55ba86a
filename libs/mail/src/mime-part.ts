import { hash } from 'node:crypto';
import { formatParameter } from './mime-parameter.js';
import { encodeBody } from './transfer-encoding.js';

/** A file of a message: attached, or shown by the HTML, which names it `cid:<contentId>`. */
export interface MailAttachment {
  filename: string;
  contentType: string;
  contentId: string | null;
  disposition: 'attachment' | 'inline';
  data: Uint8Array;
}

/** One part of a message: its own header fields and the lines below them, in pieces that are joined once. */
export interface MimePart {
  headers: string;
  body: (string | Buffer)[];
  /** Whether a boundary could occur in its lines: encoded ones hold no `=_`. */
  isPlain: boolean;
}

const base64Line = /.{76}(?=.)/g;
// A multiple of 57 octets: each piece ends with a whole line of 76.
const encodedAtOnce = 57 * 4_096;

export function textPart(subtype: 'plain' | 'html', text: string): MimePart {
  const { encoding, content } = encodeBody(text);
  return {
    headers: `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n`,
    body: [content],
    isPlain: encoding === '7bit',
  };
}

export function attachmentPart({ filename, contentType, contentId, disposition, data }: MailAttachment): MimePart {
  const id = contentId === null ? '' : `Content-ID: <${contentId}>\r\n`;
  return {
    headers:
      `Content-Type: ${contentType};${formatParameter('name', filename)}\r\nContent-Transfer-Encoding: base64\r\n` +
      `${id}Content-Disposition: ${disposition};${formatParameter('filename', filename)}\r\n`,
    body: inLines(Buffer.from(data.buffer, data.byteOffset, data.byteLength)),
    isPlain: false,
  };
}

/** A part of parts; one alone stands for itself. `seed` fixes the boundary, so that a repeat has the same bytes. */
export function multipart(subtype: 'alternative' | 'related' | 'mixed', parts: readonly MimePart[], seed: string): MimePart {
  if (parts.length === 1) return parts[0]!;
  const boundary = freeBoundary(`${seed}${subtype === 'alternative' ? '' : subtype}`, parts);
  const type = subtype === 'related' ? ' type="text/html";' : '';
  return {
    headers: `Content-Type: multipart/${subtype};${type}\r\n boundary="${boundary}"\r\n`,
    body: [...parts.flatMap(({ headers, body }) => [`--${boundary}\r\n${headers}\r\n`, ...body, '\r\n']), `--${boundary}--\r\n`],
    isPlain: parts.some(({ isPlain }) => isPlain),
  };
}

function inLines(data: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < data.length; at += encodedAtOnce) {
    const lines = data.toString('base64', at, at + encodedAtOnce).replace(base64Line, '$&\r\n');
    pieces.push(Buffer.from(at + encodedAtOnce < data.length ? `${lines}\r\n` : lines, 'latin1'));
  }
  return pieces;
}

/** `=_` cannot occur in quoted-printable or base64; a 7-bit part that holds the very boundary gets the next one. */
function freeBoundary(seed: string, parts: readonly MimePart[]): string {
  let boundary = `=_${hash('sha256', seed, 'hex').slice(0, 32)}`;
  const holds = ({ isPlain, body }: MimePart) => isPlain && body.some((piece) => piece.includes(boundary));
  while (parts.some(holds)) boundary = `=_${hash('sha256', boundary, 'hex').slice(0, 32)}`;
  return boundary;
}
