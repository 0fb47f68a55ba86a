import type { IncomingMessage } from 'node:http';
import { createGunzip } from 'node:zlib';
import { clientWentAway } from './body-budget.js';
import { notGzip, tooLarge, unpacksTooFar, wrongEncoding, malformedForm } from '../errors.js';

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

interface FormWithFile {
  fields: Record<string, string>;
  file: AsyncIterable<Buffer>;
}

const multipartType =
  /^\s*multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s";,]{1,70}))/i;
const maxHead = 16 * 1024;
const maxField = 64 * 1024;
const maxFields = 20;
const headEnd = Buffer.from('\r\n\r\n');

function boundaryOf(contentType: string | undefined): string | null {
  const [, quoted, bare] = multipartType.exec(contentType ?? '') ?? [];
  return quoted ?? bare ?? null;
}

/** Reads a form (RFC 7578) up to its file, which must be the last part, because the fields say how to read it. */
async function readForm(bytes: AsyncIterable<Buffer>, boundary: string): Promise<FormWithFile> {
  const form = new FormReader(bytes, boundary);
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  await form.begin();
  for (let count = 0; count <= maxFields; count += 1) {
    const { name, isFile } = partOf(await form.upTo(headEnd, maxHead));
    if (isFile) return { fields: { ...fields }, file: form.file() };
    if (name in fields) throw malformedForm(`names ${name} twice`);
    fields[name] = await form.field();
  }
  throw malformedForm(`has more than ${maxFields} fields before its file`);
}

function partOf(head: Buffer): { name: string; isFile: boolean } {
  const disposition = /^content-disposition:\s*form-data\s*;(.*)$/im.exec(head.toString('utf8'))?.[1];
  const name = /(?:^|;)\s*name="([^"\r\n]{1,100})"/i.exec(disposition ?? '')?.[1];
  if (disposition === undefined || name === undefined) throw malformedForm('has a part without a name');
  return { name, isFile: /;\s*filename\*?=/i.test(disposition) };
}

class FormReader {
  private held: Buffer = Buffer.alloc(0);
  private readonly rest: AsyncIterator<Buffer>;
  private readonly opening: Buffer;
  private readonly delimiter: Buffer;

  constructor(bytes: AsyncIterable<Buffer>, boundary: string) {
    this.rest = bytes[Symbol.asyncIterator]();
    this.opening = Buffer.from(`--${boundary}\r\n`);
    this.delimiter = Buffer.from(`\r\n--${boundary}`);
  }

  async begin(): Promise<void> {
    await this.upTo(this.opening, maxHead);
  }

  async field(): Promise<string> {
    const value = await this.upTo(this.delimiter, maxField);
    await this.afterDelimiter();
    return value.toString('utf8');
  }

  async upTo(end: Buffer, most: number): Promise<Buffer> {
    for (;;) {
      const found = this.held.indexOf(end);
      if (found !== -1) return this.take(found, end.length);
      if (this.held.length > most) throw malformedForm('has a part that is too long');
      if (!(await this.more())) throw malformedForm('ends before its file');
    }
  }

  /** Yields bytes up to the delimiter, and holds back what may be its beginning. */
  async *file(): AsyncGenerator<Buffer> {
    for (;;) {
      const found = this.held.indexOf(this.delimiter);
      if (found !== -1) {
        yield this.take(found, this.delimiter.length);
        return await this.end();
      }
      const sure = this.held.length - this.delimiter.length + 1;
      if (sure > 0) yield this.take(sure, 0);
      if (!(await this.more())) throw malformedForm('ends in the middle of its file');
    }
  }

  private async afterDelimiter(): Promise<void> {
    while (this.held.length < 2) if (!(await this.more())) throw malformedForm('ends before its file');
    if (this.take(2, 0).toString('latin1') !== '\r\n') throw malformedForm('has no file');
  }

  private async end(): Promise<void> {
    while (this.held.length < 2) if (!(await this.more())) throw malformedForm('does not end');
    if (this.take(2, 0).toString('latin1') !== '--') throw malformedForm('has something behind its file');
    while (await this.more()) this.held = Buffer.alloc(0);
  }

  private take(length: number, passed: number): Buffer {
    const taken = this.held.subarray(0, length);
    this.held = this.held.subarray(length + passed);
    return taken;
  }

  private async more(): Promise<boolean> {
    const next = await this.rest.next();
    if (next.done) return false;
    this.held = this.held.length === 0 ? next.value : Buffer.concat([this.held, next.value]);
    return true;
  }
}
