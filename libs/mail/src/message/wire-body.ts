const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const dot = 0x2e;

/** The body after 354, in pieces: CRLF only, dots stuffed, ended by the final dot. A bare CR or LF becomes
 * CRLF before stuffing: `\r.\r` could end the message at a lenient receiver (SMTP smuggling). */
export class WireBody {
  private at = 0;
  private previous = lineFeed;

  constructor(private readonly raw: Buffer) {}

  get left(): number {
    return this.raw.length - this.at;
  }

  next(octets: number): Buffer {
    const piece = this.raw.subarray(this.at, this.at + octets);
    this.at += piece.length;
    const { previous } = this;
    const extra = countInsertions(piece, previous);
    this.previous = piece.at(-1) ?? previous;
    const end =
      this.left === 0
        ? ends[
            this.previous === lineFeed
              ? 'afterLine'
              : this.previous === carriageReturn
                ? 'afterReturn'
                : 'within'
          ]
        : '';
    if (extra === 0 && end === '') return piece;
    const wire = Buffer.allocUnsafe(piece.length + extra + end.length);
    if (extra === 0) piece.copy(wire);
    else insertMissing(piece, previous, wire);
    wire.write(end, piece.length + extra, 'latin1');
    return wire;
  }
}

const ends = { afterLine: '.\r\n', afterReturn: '\n.\r\n', within: '\r\n.\r\n' };

function countInsertions(piece: Buffer, before: number): number {
  let extra = 0;
  let previous = before;
  for (let i = 0; i < piece.length; i++) {
    const octet = piece[i];
    if (octet === lineFeed ? previous !== carriageReturn : previous === carriageReturn) extra++;
    if (octet === dot && (previous === lineFeed || previous === carriageReturn)) extra++;
    previous = octet;
  }
  return extra;
}

function insertMissing(piece: Buffer, before: number, wire: Buffer): void {
  let at = 0;
  let previous = before;
  for (const octet of piece) {
    if (octet === lineFeed && previous !== carriageReturn) wire[at++] = carriageReturn;
    if (octet !== lineFeed && previous === carriageReturn) wire[at++] = lineFeed;
    if (octet === dot && (previous === lineFeed || previous === carriageReturn)) wire[at++] = dot;
    wire[at++] = octet;
    previous = octet;
  }
}
