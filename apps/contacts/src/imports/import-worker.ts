import { Injectable } from '@nestjs/common';
import { maxImportRows } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { Outbox, Upkeep } from '@posthorn/messaging';
import { ImportBatches } from './import-batches.js';
import { ImportErrorsRepository } from './import-errors.repository.js';
import { ImportPiecesRepository } from './import-pieces.repository.js';
import { ImportReading } from './import-reading.js';
import type { ImportRow } from './import.entity.js';
import { ImportsRepository } from './imports.repository.js';

const everyMs = 500;
/** Then another project's turn comes. */
const commitsOfATurn = 20;
const piecesAtOnce = 64;
const rowsAtOnce = 1_000;

/** Takes tables in by turns: whoever dies leaves a cursor, and its lease ends. */
@Injectable()
export class ImportWorker extends Upkeep {
  private stopping = false;

  constructor(
    private readonly database: Database,
    private readonly imports: ImportsRepository,
    private readonly reading: ImportReading,
    private readonly batches: ImportBatches,
    private readonly outbox: Outbox,
  ) {
    super('ImportWorker', everyMs, () => this.round());
  }

  override onModuleDestroy(): Promise<void> {
    this.stopping = true;
    return super.onModuleDestroy();
  }

  private async round(): Promise<void> {
    while (!this.stopping) {
      const job = await this.database.transaction(() => this.imports.take());
      if (!job) return;
      await this.turn(job);
    }
  }

  private async turn(job: ImportRow): Promise<void> {
    try {
      let commits = 0;
      for await (const batch of readAhead(this.reading.batchesOf(job))) {
        const most = maxImportRows - job.processed;
        if (most <= 0) return await this.imports.finish(job, 'FAILED');
        if (!(await this.batches.store(job, batch.slice(0, most)))) return;
        this.outbox.ring();
        commits += 1;
        if (this.stopping || commits === commitsOfATurn) return;
      }
      await this.imports.finish(job, 'COMPLETED');
    } finally {
      await this.imports.leave(job);
    }
  }
}

/** The next batch is read while one is written. */
async function* readAhead<T>(batches: AsyncGenerator<T>): AsyncGenerator<T> {
  let next = batches.next();
  try {
    for (let read = await next; !read.done; read = await next) {
      next = batches.next();
      yield read.value;
    }
  } finally {
    await next.catch(() => undefined);
    await batches.return(undefined);
  }
}

/** The bytes of tables that are over, uploads that broke off, and rejected rows that are old. */
@Injectable()
export class PurgeImports extends Upkeep {
  constructor(database: Database, imports: ImportsRepository, pieces: ImportPiecesRepository, errors: ImportErrorsRepository) {
    super('PurgeImports', everyMs, async () => {
      await imports.endLost();
      let left = true;
      while (left)
        left = await database.transaction(async () => {
          const over = await imports.lockOver();
          if (over && (await pieces.removeSome(over, piecesAtOnce))) await imports.forgetPieces(over);
          return over !== null;
        });
      while (!(await errors.forgetOldRows(rowsAtOnce)));
    });
  }
}
