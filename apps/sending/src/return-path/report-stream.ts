import type { Readable } from 'node:stream';

/** Reports come first in their mail, followed by the message that they are about, which is not needed. */
const keptBytes = 1024 * 1024;
/** Each line that begins with a dot begins a piece, whose handling takes longer than its bytes. */
const freePieces = 5_000;
const usualPieceBytes = 1_024;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

export interface ReceivedMail {
  raw: Buffer;
  bytes: number;
  /** A line end of one character: what other servers may take for the end of the message (docs/guarantees.md §6). */
  hasBareLineEnd: boolean;
  /** It came in more pieces than any network makes of it, and was not read to its end. */
  isChopped: boolean;
}

/** Reads a mail to its end and keeps its beginning, so that memory is bounded whatever the sender announces. */
export async function readMail(stream: Readable): Promise<ReceivedMail> {
  const kept: Buffer[] = [];
  let bytes = 0;
  let pieces = 0;
  let last = 0;
  let hasBareLineEnd = false;
  let isChopped = false;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (bytes < keptBytes) kept.push(chunk.subarray(0, keptBytes - bytes));
    bytes += chunk.length;
    hasBareLineEnd ||= hasBare(chunk, last);
    last = chunk[chunk.length - 1] ?? last;
    pieces += 1;
    isChopped = pieces > freePieces + bytes / usualPieceBytes;
    if (isChopped) break;
  }
  hasBareLineEnd ||= last === carriageReturn;
  return { raw: Buffer.concat(kept), bytes, hasBareLineEnd, isChopped };
}

function hasBare(chunk: Buffer, before: number): boolean {
  let last = before;
  // Its iterator would take ten times as long, and all connections share the event loop.
  for (let at = 0; at < chunk.length; at += 1) {
    const byte = chunk[at]!;
    if ((byte === lineFeed) !== (last === carriageReturn)) return true;
    last = byte;
  }
  return false;
}
