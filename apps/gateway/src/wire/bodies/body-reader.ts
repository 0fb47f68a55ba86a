import type { IncomingMessage } from 'node:http';
import { freeBuffer, unavailable } from '@posthorn/contracts';
import { BodyBudget, clientWentAway, type Reservation, type BudgetOptions } from './body-budget.js';
import { tooLarge, wrongMediaType } from '../errors.js';
import { answerUnreadable } from '../unreadable-request.js';

export const defaultBodyLimit = 1024 * 1024;
/** `emails:send` bodies (docs/api-decisions.md §1). */
export const sendBodyLimit = 15 * 1024 * 1024;
/** `emails/batch` (docs/api-decisions.md §1). */
export const batchBodyLimit = 50 * 1024 * 1024;
const megabyte = 1024 * 1024;
/** Small bodies never wait for large ones; the largest ones are read one at a time. */
const defaultOptions = {
  small: { budget: 32 * megabyte },
  large: { budget: 24 * megabyte },
  smallBody: 256 * 1024,
  maxMs: 60_000,
};
/** CSV, or JSON that has CSV as a member. */
export const tableType =
  /^(?:text\/csv|application\/json)\s*(?:;\s*(?:charset\s*=\s*"?utf-?8"?|header\s*=\s*(?:present|absent))\s*)*;?$/i;
export const formType = /^application\/x-www-form-urlencoded\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?$/i;
export const jsonType = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?$/i;

export interface HeldBody {
  bytes: Buffer;
  release: () => void;
}

const nothing = Buffer.alloc(0);

export interface BodyReaderOptions {
  small: BudgetOptions;
  large: BudgetOptions;
  smallBody: number;
  /** For the whole body, from its first byte. */
  maxMs: number;
}

/** Reads bodies within a memory budget; a body that does not fit stays unread on its socket (docs/api-decisions.md §1). */
export class BodyReader {
  private readonly small: BodyBudget;
  private readonly large: BodyBudget;

  constructor(private readonly options: BodyReaderOptions = defaultOptions) {
    this.small = new BodyBudget(options.small);
    this.large = new BodyBudget(options.large);
  }

  /** Bodies of one `owner`, such as a project, wait for those of others that hold fewer. */
  async read(request: IncomingMessage, limit: number, type = jsonType, owner = ''): Promise<HeldBody> {
    const size = announcedSize(request);
    if (size === 0) return { bytes: nothing, release: () => undefined };
    if (size !== null && size > limit) throw tooLarge(limit);
    if (!type.test(request.headers['content-type'] ?? '')) throw wrongMediaType();
    try {
      return await (size === null
        ? this.readUnannounced(request, limit, owner)
        : this.readAnnounced(request, size, owner));
    } catch (error) {
      // Without draining it, the next request on the connection would never be read.
      request.resume();
      throw error;
    }
  }

  private async readAnnounced(request: IncomingMessage, size: number, owner: string): Promise<HeldBody> {
    const isSmall = size <= this.options.smallBody;
    const reservation = await (isSmall ? this.small : this.large).take(size, request, owner);
    const bytes = isSmall ? Buffer.allocUnsafe(size) : Buffer.allocUnsafeSlow(size);
    await this.fill(request, into(bytes), reservation);
    return { bytes, release: isSmall ? reservation.free : () => releaseLarge(bytes, reservation) };
  }

  /** A body of unknown length is reserved as a small one first, because most are. */
  private async readUnannounced(request: IncomingMessage, limit: number, owner: string): Promise<HeldBody> {
    const capacity = Math.min(limit, this.options.smallBody);
    const first = await this.small.take(capacity, request, owner);
    const begun = new GrowingBytes(capacity);
    const over = await this.fill(request, begun, first);
    if (!over) return { bytes: begun.upto(first.received), release: first.free };
    first.free();
    if (capacity + over.length > limit) throw tooLarge(limit);
    const reservation = await this.large.take(limit, request, owner);
    const bytes = Buffer.allocUnsafeSlow(limit);
    reservation.received = begun.upto(capacity).copy(bytes) + over.copy(bytes, capacity);
    const rest = await this.fill(request, into(bytes), reservation);
    if (rest) reservation.free();
    if (rest) throw tooLarge(limit);
    return {
      bytes: bytes.subarray(0, reservation.received),
      release: () => releaseLarge(bytes, reservation),
    };
  }

  /** Returns the remainder of the chunk that did not fit, or null at the end of the body. */
  private async fill(
    request: IncomingMessage,
    buffer: BodyBuffer,
    reservation: Reservation,
  ): Promise<Buffer | null> {
    try {
      return await filled(request, buffer, reservation, this.options.maxMs);
    } catch (error) {
      reservation.free();
      throw error;
    }
  }
}

type BodyBuffer = Pick<GrowingBytes, 'put'>;

const into = (bytes: Buffer): BodyBuffer => ({ put: (chunk, at) => chunk.copy(bytes, at) });

function releaseLarge(bytes: Buffer, reservation: Reservation): void {
  if (bytes.buffer.byteLength > 0) freeBuffer(bytes);
  reservation.free();
}

function announcedSize({ headers }: IncomingMessage): number | null {
  if (headers['transfer-encoding'] !== undefined) return null;
  return Number(headers['content-length'] ?? 0);
}

function filled(
  request: IncomingMessage,
  buffer: BodyBuffer,
  reservation: Reservation,
  maxMs: number,
): Promise<Buffer | null> {
  // The stream ended with the chunk that did not fit.
  if (request.readableEnded) return Promise.resolve(null);
  // A stream that was destroyed before emits no more events.
  if (request.destroyed) return Promise.reject(clientWentAway());
  return new Promise((resolve, reject) => {
    const take = (chunk: Buffer) => {
      const copied = buffer.put(chunk, reservation.received);
      reservation.received += copied;
      if (copied < chunk.length) settle(() => resolve(chunk.subarray(copied)));
    };
    const end = () => settle(() => resolve(null));
    const fail = (error: Error) => settle(() => reject(error));
    // A client that disconnects must not keep its reservation.
    const close = () => settle(() => (request.complete ? resolve(null) : reject(clientWentAway())));
    const tooLate = () => {
      answerUnreadable({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, request.socket);
      request.socket.destroySoon();
      fail(clientWentAway());
    };
    const late = setTimeout(tooLate, maxMs);
    const settle = (outcome: () => void) => {
      clearTimeout(late);
      request.pause().off('data', take).off('end', end).off('error', fail).off('close', close);
      reservation.onLost = () => undefined;
      outcome();
    };
    reservation.onLost = () => fail(unavailable('The body came too slowly while others waited'));
    request.on('data', take).on('end', end).on('error', fail).on('close', close).resume();
  });
}

const firstBytes = 8 * 1024;

/** A buffer that doubles up to a limit, because most bodies of unknown length are small. */
class GrowingBytes {
  private bytes: Buffer;

  constructor(private readonly most: number) {
    this.bytes = Buffer.allocUnsafe(Math.min(firstBytes, most));
  }

  put(chunk: Buffer, at: number): number {
    const needed = Math.min(at + chunk.length, this.most);
    if (needed > this.bytes.length) this.grow(needed, at);
    return chunk.copy(this.bytes, at);
  }

  upto(end: number): Buffer {
    return this.bytes.subarray(0, end);
  }

  private grow(needed: number, held: number): void {
    let size = this.bytes.length;
    while (size < needed) size *= 2;
    const larger = Buffer.allocUnsafe(Math.min(size, this.most));
    this.bytes.copy(larger, 0, 0, held);
    this.bytes = larger;
  }
}
