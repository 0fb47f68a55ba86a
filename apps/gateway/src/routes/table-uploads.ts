import { csvUnreadable } from '@posthorn/contracts';
import { tooLarge } from '../wire/errors.js';
import { readTableText, type TableText, type TextPiece } from '../wire/bodies/table-text.js';
import type { RouteRequest } from './route-request.js';

export type TableRequest<Query extends object> = RouteRequest<{ csv: string }, Query>;

/** A long timeout lets a slow database throttle an upload: the next piece is read once this one is stored. */
export const whileUploading = { timeoutMs: 20_000 };

interface EncodedPiece {
  bytes: string;
  last: boolean;
}

interface UploadCalls<Job> {
  start: (piece: EncodedPiece) => Promise<Job>;
  append: (job: Job, piece: EncodedPiece & { place: number }) => Promise<Job>;
  /** The rest of the table will not come. If this fails, the service ends the unfinished job after a while anyway. */
  drop: (job: Job) => Promise<unknown>;
}

/** Holds at most one piece of the table at a time. */
export async function uploadTable<Job>(
  request: TableRequest<object>,
  maxBytes: number,
  calls: UploadCalls<Job>,
): Promise<Job> {
  const { pieces } = await textOf(request);
  let job: Job | null = null;
  let place = 0;
  let stored = false;
  try {
    for await (const { bytes, last } of pieces) {
      const piece = { bytes: bytes.toString('base64'), last };
      job = job ? await calls.append(job, { ...piece, place }) : await calls.start(piece);
      place += 1;
      stored = last;
      if (place * bytes.length > maxBytes) throw tooLarge(maxBytes);
    }
  } finally {
    if (job && !stored) await calls.drop(job).catch(() => undefined);
  }
  return job!;
}

export async function firstPieceOf(
  request: TableRequest<object>,
): Promise<EncodedPiece & { encoding: string }> {
  const { encoding, pieces } = await textOf(request);
  const { bytes, last } = await firstOf(pieces);
  return { encoding, bytes: bytes.toString('base64'), last };
}

function textOf({ upload, body }: TableRequest<object>): Promise<TableText> {
  return upload
    ? readTableText(upload.bytes, upload.charset)
    : readTableText(one(Buffer.from(body.csv)), 'utf-8');
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(bytes);
}

async function firstOf(pieces: AsyncIterable<TextPiece>): Promise<TextPiece> {
  for await (const piece of pieces) return piece;
  throw csvUnreadable('is empty');
}
