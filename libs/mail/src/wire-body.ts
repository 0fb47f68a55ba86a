const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const dot = 0x2e;

/**
 * The body as it goes after the 354: CRLF only, dots stuffed, ended by the lone dot. A bare CR or LF becomes CRLF *before* stuffing, or
 * `\r.\r` would end the message at a receiver that takes a lone CR for a line end (SMTP smuggling).
 */
export function toWireBody(raw: Buffer): Buffer {
  const extra = countInsertions(raw);
  const ends = raw.length === 0 || raw[raw.length - 1] === lineFeed || raw[raw.length - 1] === carriageReturn;
  const terminator = ends ? '.\r\n' : '\r\n.\r\n';
  const wire = Buffer.allocUnsafe(raw.length + extra + terminator.length);
  if (extra === 0) raw.copy(wire);
  else insertMissing(raw, wire);
  wire.write(terminator, raw.length + extra, 'latin1');
  return wire;
}

function countInsertions(raw: Buffer): number {
  let extra = 0;
  let previous = lineFeed;
  for (let i = 0; i < raw.length; i++) {
    const octet = raw[i];
    if (octet === lineFeed ? previous !== carriageReturn : previous === carriageReturn) extra++;
    if (octet === dot && (previous === lineFeed || previous === carriageReturn)) extra++;
    previous = octet;
  }
  return previous === carriageReturn ? extra + 1 : extra;
}

function insertMissing(raw: Buffer, wire: Buffer): void {
  let at = 0;
  let previous = lineFeed;
  for (const octet of raw) {
    if (octet === lineFeed && previous !== carriageReturn) wire[at++] = carriageReturn;
    if (octet !== lineFeed && previous === carriageReturn) wire[at++] = lineFeed;
    if (octet === dot && (previous === lineFeed || previous === carriageReturn)) wire[at++] = dot;
    wire[at++] = octet;
    previous = octet;
  }
  if (previous === carriageReturn) wire[at] = lineFeed;
}
