import { gunzipSync } from 'node:zlib';
import { fromBufferPromise } from 'yauzl';

export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

const gzip = [0x1f, 0x8b];
const zip = [0x50, 0x4b, 0x03, 0x04];
const beginsWith = (bytes: Uint8Array, magic: readonly number[]): boolean =>
  magic.every((byte, at) => bytes[at] === byte);

/** What a gzip or zip file contains, or the file itself; never more than `maxBytes`, whatever sizes it claims. */
export async function unpack(bytes: Uint8Array, maxBytes: number): Promise<Buffer> {
  if (beginsWith(bytes, gzip)) return inflate(bytes, maxBytes);
  if (beginsWith(bytes, zip)) return firstEntry(bytes, maxBytes);
  if (bytes.length > maxBytes) throw tooLarge();
  return Buffer.from(bytes);
}

function inflate(bytes: Uint8Array, maxBytes: number): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? tooLarge()
      : new Unreadable('the gzip file is damaged');
  }
}

async function firstEntry(bytes: Uint8Array, maxBytes: number): Promise<Buffer> {
  try {
    const archive = await fromBufferPromise(Buffer.from(bytes), { lazyEntries: true });
    if (archive.entryCount !== 1) throw new Unreadable('the zip file does not have one entry');
    for await (const entry of archive.eachEntry()) {
      const parts: Buffer[] = [];
      let size = 0;
      for await (const part of await archive.openReadStreamPromise(entry)) {
        size += (part as Buffer).length;
        if (size > maxBytes) throw tooLarge();
        parts.push(part as Buffer);
      }
      return Buffer.concat(parts);
    }
    throw new Unreadable('the zip file does not have one entry');
  } catch (error) {
    throw error instanceof Unreadable ? error : new Unreadable('the zip file is damaged');
  }
}

const tooLarge = () => new Unreadable('the report is too large when unpacked');
