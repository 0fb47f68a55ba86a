import type { Readable } from 'node:stream';

/** Reports come first in their mail, followed by the message that they are about, which is not needed. */
const keptBytes = 1024 * 1024;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

export interface ReceivedMail {
  raw: Buffer;
  bytes: number;
  /** A line end of one character: what other servers may take for the end of the message (docs/guarantees.md §6). */
  hasBareLineEnd: boolean;
}

/** Reads a mail to its end and keeps its beginning, so that memory is bounded whatever the sender announces. */
export async function readMail(stream: Readable): Promise<ReceivedMail> {
  const kept: Buffer[] = [];
  let bytes = 0;
  let last = 0;
  let hasBareLineEnd = false;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (bytes < keptBytes) kept.push(chunk.subarray(0, keptBytes - bytes));
    bytes += chunk.length;
    hasBareLineEnd ||= hasBare(chunk, last);
    last = chunk[chunk.length - 1] ?? last;
  }
  return { raw: Buffer.concat(kept), bytes, hasBareLineEnd: hasBareLineEnd || last === carriageReturn };
}

function hasBare(chunk: Buffer, before: number): boolean {
  let last = before;
  for (const byte of chunk) {
    if ((byte === lineFeed) !== (last === carriageReturn)) return true;
    last = byte;
  }
  return false;
}
