import { Injectable } from '@nestjs/common';
import { maxImportRows } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import { storedRows } from '@posthorn/csv';
import { ImportBatches } from './import-batches.js';
import { importWork, ImportsRepository, importPurgeWork, rejectedRowsWork } from './imports.repository.js';
import type { ImportRow } from './import.entity.js';
import { ImportPiecesRepository } from './import-pieces.repository.js';
import { readRow, type ImportedRow } from './table/import-rows.js';
import { ImportErrorsRepository } from './import-errors.repository.js';

const rowsPerCommit = 2_000;
/** A row may have a megabyte. */
const bytesPerCommit = 2 * 1024 * 1024;

@Injectable()
export class ImportReading {
  constructor(private readonly pieces: ImportPiecesRepository) {}

  async *batchesOf(job: ImportRow): AsyncGenerator<ImportedRow[]> {
    let batch: ImportedRow[] = [];
    let start = job.position;
    const table = { ...job.layout, position: job.position, line: job.line };
    for await (const rows of storedRows(table, (index) => this.pieces.read(job, index))) {
      for (const row of rows) {
        batch.push(readRow(row, job.layout));
        if (batch.length < rowsPerCommit && row.end - start < bytesPerCommit) continue;
        yield batch;
        batch = [];
        start = row.end;
      }
    }
    if (batch.length > 0) yield batch;
  }
}

/** After these another project has its turn. */
const commitsPerTurn = 20;

/** After a crash an import continues at the position that was committed with its last rows. */
@Injectable()
export class ImportsWork implements WorkHandler<object> {
  constructor(
    private readonly database: Database,
    private readonly imports: ImportsRepository,
    private readonly reading: ImportReading,
    private readonly batches: ImportBatches,
    runner: WorkRunner,
  ) {
    runner.register(importWork, this);
  }

  async run(batch: WorkBatch): Promise<void> {
    const [item] = batch.items;
    const job = await this.imports.find(item!.projectId, item!.key!);
    if (!job || job.finishedAt) return;
    if (job.status === 'UPLOADING') await this.end(job, 'FAILED', batch);
    else await this.turn(job, batch);
  }

  async dead({ projectId, key }: WorkItem): Promise<void> {
    const job = await this.imports.find(projectId, key!);
    if (job) await this.imports.finish(job, 'FAILED');
  }

  private async turn(job: ImportRow, batch: WorkBatch): Promise<void> {
    const [item] = batch.items;
    await this.imports.begin(job);
    let commits = 0;
    for await (const rows of readAhead(this.reading.batchesOf(job))) {
      const remaining = maxImportRows - job.processed;
      if (remaining <= 0) return this.end(job, 'FAILED', batch);
      if (!(await this.batches.store(job, rows.slice(0, remaining), () => batch.hold(item!)))) return;
      commits += 1;
      if (batch.stopping || commits === commitsPerTurn) return batch.continueLater(batch.items);
    }
    await this.end(job, 'COMPLETED', batch);
  }

  private end(job: ImportRow, status: 'COMPLETED' | 'FAILED', batch: WorkBatch): Promise<void> {
    return this.database.transaction(async () => {
      await this.imports.finish(job, status);
      await batch.complete();
    });
  }
}

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

const piecesPerBatch = 64;
const rowsPerBatch = 1_000;

@Injectable()
export class ImportPurgesWork implements WorkHandler<object> {
  constructor(
    private readonly database: Database,
    private readonly imports: ImportsRepository,
    private readonly pieces: ImportPiecesRepository,
    errors: ImportErrorsRepository,
    runner: WorkRunner,
  ) {
    runner.register(importPurgeWork, this);
    runner.register(rejectedRowsWork, {
      run: async (batch) => {
        const [item] = batch.items;
        if (!(await errors.deleteRows(item!.projectId, item!.key!, rowsPerBatch)))
          await batch.continueLater(batch.items);
      },
    });
  }

  async run(batch: WorkBatch): Promise<void> {
    const [item] = batch.items;
    const ended = { projectId: item!.projectId, id: item!.key! };
    await this.database.transaction(async () => {
      if (!(await this.pieces.removeSome(ended, piecesPerBatch))) return batch.continueLater(batch.items);
      await this.imports.deletePieces(ended);
      await batch.complete();
    });
  }
}
