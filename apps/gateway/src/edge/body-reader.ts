import type { IncomingMessage } from 'node:http';
import { unavailable } from '@posthorn/contracts';
import { tooLarge, wrongMediaType } from './edge-errors.js';

export const defaultBodyLimit = 1024 * 1024;
/** `emails:send` bodies (contract.md §1). */
export const sendBodyLimit = 15 * 1024 * 1024;
/** `emails/batch` (contract.md §1). */
export const batchBodyLimit = 50 * 1024 * 1024;
const bodyBudget = 64 * 1024 * 1024;
const waitMs = 10_000;
/** A table, or JSON that has one as a member. */
export const tableType = /^(?:text\/csv|application\/json)\s*(?:;\s*(?:charset\s*=\s*"?utf-?8"?|header\s*=\s*(?:present|absent))\s*)*;?$/i;
export const formType = /^application\/x-www-form-urlencoded\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?$/i;
export const jsonType = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?$/i;

/** A body in memory; its share of the budget is given back by `release`. */
export interface HeldBody {
  bytes: Buffer;
  release: () => void;
}

interface Waiting {
  size: number;
  admit: () => void;
}

const nothing = Buffer.alloc(0);

/** Reads bodies within one budget: what does not fit stays unread on its socket until there is room (contract.md §1). */
export class BodyReader {
  private used = 0;
  private readonly queue: Waiting[] = [];

  constructor(private readonly budget = bodyBudget) {}

  async read(request: IncomingMessage, limit: number, type = jsonType): Promise<HeldBody> {
    const size = announcedSize(request, limit);
    if (size === 0) return { bytes: nothing, release: () => undefined };
    if (size > limit) throw tooLarge(limit);
    if (!type.test(request.headers['content-type'] ?? '')) throw wrongMediaType();
    await this.reserve(size);
    let held = true;
    const release = () => {
      if (held) this.free(size);
      held = false;
    };
    return { bytes: await collect(request, limit).catch((error: unknown) => (release(), Promise.reject(error))), release };
  }

  private reserve(size: number): Promise<void> | void {
    if (this.queue.length === 0 && this.used + size <= this.budget) {
      this.used += size;
      return;
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.queue.splice(this.queue.indexOf(entry), 1);
        reject(unavailable('The gateway has no room for this body right now'));
      }, waitMs);
      const entry: Waiting = {
        size,
        admit: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      this.queue.push(entry);
    });
  }

  private free(size: number): void {
    this.used -= size;
    while (this.queue.length > 0 && this.used + this.queue[0]!.size <= this.budget) {
      const next = this.queue.shift()!;
      this.used += next.size;
      next.admit();
    }
  }
}

/** What the body will take; one of unknown length may take all that is allowed. */
function announcedSize({ headers }: IncomingMessage, limit: number): number {
  if (headers['transfer-encoding'] !== undefined) return limit;
  return Number(headers['content-length'] ?? 0);
}

function collect(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else {
        chunks.length = 0;
        reject(tooLarge(limit));
      }
    });
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    request.on('error', reject);
    // A client that goes away in the middle must not keep its share.
    request.on('close', () => {
      if (!request.complete) reject(unavailable('The client went away'));
    });
  });
}
