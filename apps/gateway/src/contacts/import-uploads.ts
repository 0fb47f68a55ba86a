import { Injectable } from '@nestjs/common';
import {
  contactImports,
  csvUnreadable,
  maxImportBytes,
  type Caller,
  type ContactImport,
  type ContactImportOptions,
  type ContactImportPreview,
  type ImportContacts,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { RouteRequest } from '../routes/route-request.js';
import { tooLarge } from '../wire/errors.js';
import { readTableText, type TablePiece, type TableText } from './table-text.js';

type TableRequest = RouteRequest<ImportContacts, ContactImportOptions>;

/** A long timeout lets a slow database throttle the upload: the next piece is read once this one is stored. */
const waiting = { timeoutMs: 20_000 };

/** Holds at most one piece of a table at a time. */
@Injectable()
export class ImportUploads {
  constructor(private readonly bus: Bus) {}

  async start(request: TableRequest): Promise<ContactImport> {
    const { pieces } = await textOf(request);
    let job: ContactImport | null = null;
    let index = 0;
    let stored = false;
    try {
      for await (const { bytes, last } of pieces) {
        const piece = { bytes: bytes.toString('base64'), last };
        job = job
          ? await this.bus.call(
              contactImports.append,
              request.caller,
              { ...piece, id: job.id, place: index },
              waiting,
            )
          : await this.bus.call(
              contactImports.start,
              request.caller,
              { ...request.query, ...piece },
              waiting,
            );
        index += 1;
        stored = last;
        if (index * bytes.length > maxImportBytes) throw tooLarge(maxImportBytes);
      }
    } finally {
      if (job && !stored) await this.drop(request.caller, job);
    }
    return job!;
  }

  async preview(request: TableRequest): Promise<ContactImportPreview> {
    const { encoding, pieces } = await textOf(request);
    const { bytes, last } = await firstOf(pieces);
    return this.bus.call(
      contactImports.preview,
      request.caller,
      { ...request.query, encoding, bytes: bytes.toString('base64'), last },
      waiting,
    );
  }

  /** If this call fails, the unfinished import is cancelled after a while anyway. */
  private async drop(caller: Caller, { id }: ContactImport): Promise<void> {
    await this.bus.call(contactImports.cancel, caller, { id }).catch(() => undefined);
  }
}

function textOf({ upload, body }: TableRequest): Promise<TableText> {
  return upload
    ? readTableText(upload.bytes, upload.charset)
    : readTableText(one(Buffer.from(body.csv)), 'utf-8');
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(bytes);
}

async function firstOf(pieces: AsyncIterable<TablePiece>): Promise<TablePiece> {
  for await (const piece of pieces) return piece;
  throw csvUnreadable('is empty');
}
