/** RFC 2045 §6: any input becomes CRLF lines of at most 998 octets without NUL. */

export interface EncodedBody {
  encoding: '7bit' | 'quoted-printable' | 'base64';
  content: string;
}

// 990 instead of 998, because the transport may add a dot and a gateway may indent.
const sevenBit = /^[\t\n\x20-\x7e]*$/;
const maxLine = 990;
const notAscii = /[^\0-\x7f]/g;
const base64Line = /.{76}(?=.)/g;
const quotedLine = 76;
const base64From = 0.2;

export function encodeBody(text: string): EncodedBody {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  if (sevenBit.test(lines) && !hasLongLine(lines)) return { encoding: '7bit', content: toCrlf(lines) };
  const foreign = lines.match(notAscii)?.length ?? 0;
  if (foreign > lines.length * base64From) return { encoding: 'base64', content: encodeBase64(lines) };
  return { encoding: 'quoted-printable', content: encodeQuotedPrintable(lines) };
}

/** The text of a message that may travel unencoded, or null. */
export function sevenBitLines(data: Buffer): string | null {
  const text = data.toString('latin1').replace(/\r\n?/g, '\n');
  return /^[\x01-\x7f]*$/.test(text) && !hasLongLine(text) ? toCrlf(text) : null;
}

function hasLongLine(lines: string): boolean {
  for (let start = 0; start + maxLine < lines.length;) {
    const end = lines.indexOf('\n', start);
    if ((end === -1 ? lines.length : end) - start > maxLine) return true;
    start = end + 1;
  }
  return false;
}

function toCrlf(lines: string): string {
  return lines.includes('\n') ? lines.replaceAll('\n', '\r\n') : lines;
}

function encodeBase64(lines: string): string {
  return Buffer.from(toCrlf(lines), 'utf8').toString('base64').replace(base64Line, '$&\r\n');
}

const hex = Buffer.from('0123456789ABCDEF', 'latin1');
const newline = 0x0a;
const equals = 0x3d;

/** Expects LF line ends. A leading dot is escaped, too, so that dot-stuffing of a relay cannot matter. */
function encodeQuotedPrintable(lines: string): string {
  const input = Buffer.from(lines, 'utf8');
  // At worst three octets for each, and a soft line break after every 73.
  const output = Buffer.allocUnsafe(input.length * 3 + Math.ceil((input.length * 3) / 70) * 3 + 3);
  let at = 0;
  let column = 0;
  for (let i = 0; i < input.length; i++) {
    const octet = input[i];
    if (octet === newline) {
      at = putLineBreak(output, at);
      column = 0;
    } else {
      const literal = isLiteral(octet, input[i + 1], column);
      const width = literal ? 1 : 3;
      if (column + width > quotedLine - 1) {
        output[at++] = equals;
        at = putLineBreak(output, at);
        column = 0;
      }
      at =
        literal && !(column === 0 && octet === 0x2e) ? put(output, at, octet) : putEscaped(output, at, octet);
      column += width;
    }
  }
  return output.toString('latin1', 0, at);
}

function isLiteral(octet: number, next: number | undefined, column: number): boolean {
  if (octet > 0x20 && octet < 0x7f) return octet !== equals && !(octet === 0x2e && column === 0);
  // Blanks at the end of a line are removed in transit (RFC 2045 §6.7 rule 3).
  return (octet === 0x20 || octet === 0x09) && next !== undefined && next !== newline;
}

function put(output: Buffer, at: number, octet: number): number {
  output[at] = octet;
  return at + 1;
}

function putEscaped(output: Buffer, at: number, octet: number): number {
  output[at] = equals;
  output[at + 1] = hex[octet >> 4];
  output[at + 2] = hex[octet & 15];
  return at + 3;
}

function putLineBreak(output: Buffer, at: number): number {
  output[at] = 0x0d;
  output[at + 1] = newline;
  return at + 2;
}
