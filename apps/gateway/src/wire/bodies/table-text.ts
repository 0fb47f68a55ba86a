import { csvUnreadable, importPieceBytes } from '@posthorn/contracts';

export interface TableText {
  encoding: string;
  /** Never empty; all pieces but the last have the full size. */
  pieces: AsyncIterable<TextPiece>;
}

export interface TextPiece {
  bytes: Buffer;
  last: boolean;
}

const headBytes = 64 * 1024;

const unknown: readonly (readonly [begins: string, says: string])[] = [
  ['504b0304', 'is a workbook or an archive: save it as CSV'],
  ['d0cf11e0', 'is a workbook: save it as CSV'],
  ['1f8b', 'is compressed with gzip: set Content-Encoding'],
  ['25504446', 'is a PDF, not CSV'],
  ['89504e47', 'is an image, not CSV'],
  ['ffd8ff', 'is an image, not CSV'],
  ['7f454c46', 'is an executable, not CSV'],
];
const html = /^\s*<(?:!doctype|html|head|body|table|div|\?xml|!--)/i;
const maxControls = 0.1;

/** The encoding is that of a byte order mark, else the declared one, else UTF-8 unless the beginning is not valid UTF-8. */
export async function readTableText(
  bytes: AsyncIterable<Buffer>,
  declared: string | null,
): Promise<TableText> {
  const rest = bytes[Symbol.asyncIterator]();
  const head = await headOf(rest);
  refuseUnknown(head);
  const encoding = encodingOf(head, declared);
  return {
    encoding,
    pieces: piecesOf(encoding === 'utf-8' ? unmarked(head, rest) : decoded(head, rest, encoding)),
  };
}

async function headOf(rest: AsyncIterator<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let size = 0; size < headBytes;) {
    const next = await rest.next();
    if (next.done) break;
    parts.push(next.value);
    size += next.value.length;
  }
  return Buffer.concat(parts);
}

function refuseUnknown(head: Buffer): void {
  const begins = head.toString('hex', 0, 8);
  const outsider = unknown.find(([magic]) => begins.startsWith(magic));
  if (outsider) throw csvUnreadable(outsider[1]);
  const text = head.subarray(0, 4_096);
  if (html.test(text.toString('latin1').replace(/^\u00ef\u00bb\u00bf/, '')))
    throw csvUnreadable('is HTML or XML, not CSV');
  if (markOf(head) !== null) return;
  const controls = text.filter(
    (byte) => byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d,
  ).length;
  if (controls > text.length * maxControls)
    throw csvUnreadable('is binary, not CSV; UTF-16 needs a byte order mark');
}

function encodingOf(head: Buffer, declared: string | null): string {
  const mark = markOf(head);
  if (mark) return mark;
  if (declared !== null) return known(declared);
  return looksLikeUtf8(head) ? 'utf-8' : 'windows-1252';
}

function markOf(head: Buffer): string | null {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return 'utf-8';
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : null;
}

function known(declared: string): string {
  try {
    return new TextDecoder(declared).encoding;
  } catch (error) {
    if (error instanceof RangeError) throw csvUnreadable(`has an unknown encoding: ${declared}`);
    throw error;
  }
}

/** A few broken rows do not make the file another encoding, so the majority decides. */
function looksLikeUtf8(head: Buffer): boolean {
  const text = head.toString('utf8');
  // The last character may be incomplete.
  const broken = text.slice(0, -1).match(/\ufffd/g)?.length ?? 0;
  const whole = text.match(/[^\p{ASCII}\ufffd]/gu)?.length ?? 0;
  return broken === 0 || whole > broken;
}

async function* unmarked(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield markOf(head) ? head.subarray(3) : head;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

async function* decoded(head: Buffer, rest: AsyncIterator<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding);
  yield Buffer.from(decoder.decode(head, { stream: true }));
  for (let next = await rest.next(); !next.done; next = await rest.next())
    yield Buffer.from(decoder.decode(next.value, { stream: true }));
  yield Buffer.from(decoder.decode());
}

async function* piecesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<TextPiece> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    held.push(chunk);
    size += chunk.length;
    while (size > importPieceBytes) {
      const whole = Buffer.concat(held);
      held = [whole.subarray(importPieceBytes)];
      size -= importPieceBytes;
      yield { bytes: whole.subarray(0, importPieceBytes), last: false };
    }
  }
  yield { bytes: Buffer.concat(held), last: true };
}
