import { Injectable } from '@nestjs/common';
import { importPieceBytes } from '@posthorn/contracts';
import { CsvReader, type CsvRow } from './csv-reader.js';
import { ImportPiecesRepository } from './import-pieces.repository.js';
import { readRow, type ImportedRow } from './import-rows.js';
import type { ImportRow } from './import.entity.js';

const rowsOfACommit = 2_000;
/** Rows may be of a megabyte each. */
const bytesOfACommit = 2 * 1024 * 1024;

/** The rows of a table behind the cursor of its import. */
@Injectable()
export class ImportReading {
  constructor(private readonly pieces: ImportPiecesRepository) {}

  async *batchesOf(job: ImportRow): AsyncGenerator<ImportedRow[]> {
    let batch: ImportedRow[] = [];
    let begun = job.position;
    for await (const rows of this.rowsOf(job)) {
      for (const row of rows) {
        batch.push(readRow(row, job.layout));
        if (batch.length < rowsOfACommit && row.end - begun < bytesOfACommit) continue;
        yield batch;
        batch = [];
        begun = row.end;
      }
    }
    if (batch.length > 0) yield batch;
  }

  /** Piece by piece. Where it begins anew the row that names the columns comes first, and is none of the data. */
  private async *rowsOf({
    projectId,
    id,
    layout,
    position,
    line,
  }: ImportRow): AsyncGenerator<Iterable<CsvRow>> {
    const reader = new CsvReader({ delimiter: layout.delimiter, from: position, lines: line });
    let header = layout.headed && position === 0;
    let passed = position % importPieceBytes;
    for (let index = Math.floor(position / importPieceBytes); ; index += 1) {
      const bytes = await this.pieces.read({ projectId, id }, index);
      if (!bytes) break;
      yield header ? withoutFirst(reader.push(bytes.subarray(passed))) : reader.push(bytes.subarray(passed));
      header = false;
      passed = 0;
    }
    yield reader.end();
  }
}

function* withoutFirst(rows: Generator<CsvRow>): Generator<CsvRow> {
  rows.next();
  yield* rows;
}
