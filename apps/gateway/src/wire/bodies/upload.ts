import type { IncomingMessage } from 'node:http';
import { createGunzip } from 'node:zlib';
import { clientWentAway } from './body-budget.js';
import { notGzip, tooLarge, unpacksTooFar, wrongEncoding } from '../errors.js';
import { boundaryOf, readForm } from './multipart.js';

/** A CSV table that is read while it arrives, with back-pressure to the client. */
export interface Upload {
  /** From the content type; a byte order mark takes precedence. */
  charset: string | null;
  bytes: AsyncIterable<Buffer>;
  options: object;
}

const csvType = /^\s*text\/csv\s*(?:;|$)/i;
const charset = /;\s*charset\s*=\s*"?([\w.:-]{1,40})"?/i;
/** A higher compression ratio is treated as a decompression bomb. */
const maxRatio = 250;
/** Smaller results are not checked for their ratio. */
const minCheckedBytes = 1024 * 1024;
const chunkBytes = 64 * 1024;

export const isUpload = ({ headers }: IncomingMessage): boolean =>
  csvType.test(headers['content-type'] ?? '') || boundaryOf(headers['content-type']) !== null;

/** `read` validates the fields that precede the file of a form. */
export async function openUpload(
  request: IncomingMessage,
  limit: number,
  read: (fields: object) => object,
): Promise<Upload> {
  const type = request.headers['content-type'] ?? '';
  const size = Number(request.headers['content-length'] ?? 0);
  if (size > limit) throw tooLarge(limit);
  const bytes = unpacked(request, bounded(bytesOf(request), limit), limit);
  const boundary = boundaryOf(type);
  if (boundary === null) return { charset: charset.exec(type)?.[1] ?? null, bytes, options: {} };
  const { fields, file } = await readForm(bytes, boundary);
  return { charset: null, bytes: file, options: read(fields) };
}

async function* bytesOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    // The socket is still needed for the response when the reader stops early.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) yield chunk as Buffer;
  } catch (error) {
    if (!request.complete) throw clientWentAway();
    throw error;
  }
}

async function* bounded(bytes: AsyncIterable<Buffer>, limit: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    yield chunk;
  }
}

function unpacked(
  { headers }: IncomingMessage,
  bytes: AsyncIterable<Buffer>,
  limit: number,
): AsyncIterable<Buffer> {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return bytes;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') throw wrongEncoding();
  return bounded(gunzipped(bytes), limit);
}

async function* gunzipped(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: chunkBytes });
  let packed = 0;
  let size = 0;
  const fed = feed(bytes, gunzip, (length) => (packed += length));
  fed.catch((error: unknown) => gunzip.destroy(error as Error));
  try {
    for await (const chunk of gunzip) {
      size += (chunk as Buffer).length;
      if (size > minCheckedBytes && size > packed * maxRatio) throw unpacksTooFar(maxRatio);
      yield chunk as Buffer;
    }
    await fed;
  } catch (error) {
    throw /^Z_/.test((error as NodeJS.ErrnoException).code ?? '') ? notGzip() : error;
  } finally {
    gunzip.destroy();
  }
}

async function feed(
  bytes: AsyncIterable<Buffer>,
  gunzip: ReturnType<typeof createGunzip>,
  count: (length: number) => void,
): Promise<void> {
  for await (const chunk of bytes) {
    count(chunk.length);
    if (gunzip.destroyed) return;
    if (!gunzip.write(chunk))
      await new Promise<void>((resolve) => gunzip.once('drain', resolve).once('close', resolve));
  }
  gunzip.end();
}
