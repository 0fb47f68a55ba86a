import type { IncomingMessage } from 'node:http';
import { release, unavailable } from '@posthorn/contracts';
import { BodyBudget, clientWentAway, type Position, type BudgetOptions } from './body-budget.js';
import { tooLarge, wrongMediaType } from '../http/edge-errors.js';
import { GrowingBytes } from './growing-bytes.js';
import { answerUnreadable } from '../http/unreadable-request.js';

export const defaultBodyLimit = 1024 * 1024;
/** `emails:send` bodies (docs/api-decisions.md §1). */
export const sendBodyLimit = 15 * 1024 * 1024;
/** `emails/batch` (docs/api-decisions.md §1). */
export const batchBodyLimit = 50 * 1024 * 1024;
const megabyte = 1024 * 1024;
/** What is no larger than a small body never waits for a larger one; of the largest sends one comes in after another. */
const common = {
  small: { budget: 32 * megabyte },
  large: { budget: 24 * megabyte },
  smallBody: 256 * 1024,
  maxMs: 60_000,
};
/** A table, or JSON that has one as a member. */
export const tableType =
  /^(?:text\/csv|application\/json)\s*(?:;\s*(?:charset\s*=\s*"?utf-?8"?|header\s*=\s*(?:present|absent))\s*)*;?$/i;
export const formType = /^application\/x-www-form-urlencoded\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?$/i;
export const jsonType = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?$/i;

/** A body in memory; its place is given back by `release`. */
export interface HeldBody {
  bytes: Buffer;
  release: () => void;
}

const nothing = Buffer.alloc(0);

export interface BodyReaderOptions {
  small: BudgetOptions;
  large: BudgetOptions;
  smallBody: number;
  /** For all of it, from when it is read on. */
  maxMs: number;
}

/** Reads bodies within its budgets: what does not fit stays unread on its socket until there is room (docs/api-decisions.md §1). */
export class BodyReader {
  private readonly small: BodyBudget;
  private readonly large: BodyBudget;

  constructor(private readonly options: BodyReaderOptions = common) {
    this.small = new BodyBudget(options.small);
    this.large = new BodyBudget(options.large);
  }

  async read(request: IncomingMessage, limit: number, type = jsonType): Promise<HeldBody> {
    const size = announcedSize(request);
    if (size === 0) return { bytes: nothing, release: () => undefined };
    if (size !== null && size > limit) throw tooLarge(limit);
    if (!type.test(request.headers['content-type'] ?? '')) throw wrongMediaType();
    try {
      return await (size === null ? this.readUnannounced(request, limit) : this.readAnnounced(request, size));
    } catch (error) {
      // What is left of it is taken from the socket, or the next request on it would never be read.
      request.resume();
      throw error;
    }
  }

  private async readAnnounced(request: IncomingMessage, size: number): Promise<HeldBody> {
    const isSmall = size <= this.options.smallBody;
    const location = await (isSmall ? this.small : this.large).take(size, request);
    const bytes = isSmall ? Buffer.allocUnsafe(size) : Buffer.allocUnsafeSlow(size);
    await this.fill(request, inPosition(bytes), location);
    return { bytes, release: isSmall ? location.free : () => endOf(bytes, location) };
  }

  /** Begins as a small one: most are. */
  private async readUnannounced(request: IncomingMessage, limit: number): Promise<HeldBody> {
    const capacity = Math.min(limit, this.options.smallBody);
    const first = await this.small.take(capacity, request);
    const begun = new GrowingBytes(capacity);
    const over = await this.fill(request, begun, first);
    if (!over) return { bytes: begun.upto(first.received), release: first.free };
    first.free();
    if (capacity + over.length > limit) throw tooLarge(limit);
    const location = await this.large.take(limit, request);
    const bytes = Buffer.allocUnsafeSlow(limit);
    location.received = begun.upto(capacity).copy(bytes) + over.copy(bytes, capacity);
    const rest = await this.fill(request, inPosition(bytes), location);
    if (rest) location.free();
    if (rest) throw tooLarge(limit);
    return { bytes: bytes.subarray(0, location.received), release: () => endOf(bytes, location) };
  }

  /** Until the end of the body; or answers the chunk's rest for which there was no room, with the others unread. */
  private async fill(
    request: IncomingMessage,
    capacity: Capacity,
    location: Position,
  ): Promise<Buffer | null> {
    try {
      return await filled(request, capacity, location, this.options.maxMs);
    } catch (error) {
      location.free();
      throw error;
    }
  }
}

type Capacity = Pick<GrowingBytes, 'put'>;

const inPosition = (bytes: Buffer): Capacity => ({ put: (chunk, at) => chunk.copy(bytes, at) });

/** Of one that was given back already there is nothing left. */
function endOf(bytes: Buffer, location: Position): void {
  if (bytes.buffer.byteLength > 0) release(bytes);
  location.free();
}

/** What the body will take; null where nobody says. */
function announcedSize({ headers }: IncomingMessage): number | null {
  if (headers['transfer-encoding'] !== undefined) return null;
  return Number(headers['content-length'] ?? 0);
}

function filled(
  request: IncomingMessage,
  capacity: Capacity,
  location: Position,
  maxMs: number,
): Promise<Buffer | null> {
  // Its end came with the piece for which there was no room.
  if (request.readableEnded) return Promise.resolve(null);
  // Of one that went away before it was looked at nothing more is heard.
  if (request.destroyed) return Promise.reject(clientWentAway());
  return new Promise((resolve, reject) => {
    const take = (chunk: Buffer) => {
      const copied = capacity.put(chunk, location.received);
      location.received += copied;
      if (copied < chunk.length) settle(() => resolve(chunk.subarray(copied)));
    };
    const end = () => settle(() => resolve(null));
    const fail = (error: Error) => settle(() => reject(error));
    // A client that goes away in the middle must not keep its place.
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
      location.onLost = () => undefined;
      outcome();
    };
    location.onLost = () => fail(unavailable('The body came too slowly while others waited'));
    request.on('data', take).on('end', end).on('error', fail).on('close', close).resume();
  });
}
