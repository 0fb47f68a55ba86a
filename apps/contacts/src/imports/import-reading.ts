import { Injectable } from '@nestjs/common';
import { importPieceBytes } from '@posthorn/contracts';
import { CsvReader, type CsvRow } from '@posthorn/csv';
import { ImportPiecesRepository } from './import-pieces.repository.js';
import { readRow, type ImportedRow } from './table/import-rows.js';
import type { ImportRow } from './import.entity.js';

const rowsPerCommit = 2_000;
/** A row may have a megabyte. */
const bytesPerCommit = 2 * 1024 * 1024;

@Injectable()
export class ImportReading {
  constructor(private readonly pieces: ImportPiecesRepository) {}

  async *batchesOf(job: ImportRow): AsyncGenerator<ImportedRow[]> {
    let batch: ImportedRow[] = [];
    let start = job.position;
    for await (const rows of this.rowsOf(job)) {
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

  private async *rowsOf({
    projectId,
    id,
    layout,
    position,
    line,
  }: ImportRow): AsyncGenerator<Iterable<CsvRow>> {
    const reader = new CsvReader({ delimiter: layout.delimiter, from: position, lines: line });
    let header = layout.headed && position === layout.start;
    let skipped = position % importPieceBytes;
    for (let index = Math.floor(position / importPieceBytes); ; index += 1) {
      const bytes = await this.pieces.read({ projectId, id }, index);
      if (!bytes) break;
      yield header
        ? withoutFirst(reader.push(bytes.subarray(skipped)))
        : reader.push(bytes.subarray(skipped));
      header = false;
      skipped = 0;
    }
    yield reader.end();
  }
}

function* withoutFirst(rows: Generator<CsvRow>): Generator<CsvRow> {
  rows.next();
  yield* rows;
}
