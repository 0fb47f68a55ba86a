import { Injectable } from '@nestjs/common';
import { importPieceBytes, maxValidatedRows, maxWritten, type ValidatedEmail } from '@posthorn/contracts';
import { storedRows, type CsvRow } from '@posthorn/csv';
import { Database } from '@posthorn/database';
import { WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import { AddressChecks } from './address-checks.js';
import { countsOf, type EmailValidationRow } from './email-validation.entity.js';
import { EmailValidationsRepository } from './email-validations.repository.js';
import { textOfCell } from './file-layout.js';
import {
  fileValidationWork,
  FileValidationsRepository,
  ValidationPiecesRepository,
  type EndOfFile,
} from './file-validations.repository.js';

const rowsPerCommit = 250;
/** For the name servers of a batch; those that do not answer count as unknown. */
const lookUpMs = 20_000;
/** After these, or after so long, another project has its turn. */
const commitsPerTurn = 20;
const turnMs = 20_000;

/** After a crash a file continues at the position that was committed with its last results. */
@Injectable()
export class FileValidationsWork implements WorkHandler<object> {
  constructor(
    private readonly database: Database,
    private readonly files: FileValidationsRepository,
    private readonly pieces: ValidationPiecesRepository,
    private readonly validations: EmailValidationsRepository,
    private readonly checks: AddressChecks,
    runner: WorkRunner,
  ) {
    runner.register(fileValidationWork, this);
  }

  async run(batch: WorkBatch): Promise<void> {
    const [item] = batch.items;
    const file = await this.files.find(item!.projectId, item!.key!);
    if (!file || file.finishedAt) return;
    if (file.status === 'UPLOADING') await this.end(file, 'FAILED', batch);
    else await this.turn(file, batch);
  }

  async dead({ projectId, key }: WorkItem): Promise<void> {
    await this.files.finish({ projectId, id: key! }, 'FAILED');
  }

  private async turn(file: EmailValidationRow, batch: WorkBatch): Promise<void> {
    await this.files.begin(file);
    let { processed } = file;
    let commits = 0;
    const began = performance.now();
    for await (const rows of this.batchesOf(file)) {
      const left = rows.slice(0, maxValidatedRows - processed);
      if (left.length > 0 && !(await this.look(file, left, batch))) return;
      if (left.length < rows.length) return this.end(file, 'FAILED', batch);
      processed += left.length;
      commits += 1;
      const isOver = commits === commitsPerTurn || performance.now() - began > turnMs;
      if (batch.stopping || isOver) return batch.continueLater(batch.items);
    }
    await this.end(file, 'COMPLETED', batch);
  }

  /** The lookups come before the transaction. False where the validation has ended meanwhile. */
  private async look(file: EmailValidationRow, rows: readonly CsvRow[], batch: WorkBatch): Promise<boolean> {
    const texts = rows.map(({ cells }) => textOfCell(cells[file.layout!.column]).slice(0, maxWritten));
    const found = await this.checks.check(file.projectId, texts, lookUpMs);
    const results = found.map((result, index) => ({ ...result, line: rows[index]!.line }));
    const [item] = batch.items;
    return this.database.transaction(async () => {
      await batch.hold(item!);
      const now = await this.files.lock(file.projectId, file.id);
      if (now?.status !== 'RUNNING') return false;
      await this.validations.addResults(now, results);
      await this.advance(now, rows.at(-1)!, results);
      return true;
    });
  }

  private async advance(
    file: EmailValidationRow,
    { end, lines }: CsvRow,
    results: readonly ValidatedEmail[],
  ): Promise<void> {
    const { VALID: valid, RISKY: risky, INVALID: invalid, UNKNOWN: unknown } = countsOf(results);
    const counts = { valid, risky, invalid, unknown };
    await this.files.advance(file, { position: end, line: lines, processed: results.length, counts });
    await this.pieces.removeBefore(file, Math.floor(end / importPieceBytes));
  }

  /** Blank lines are no rows. */
  private async *batchesOf(file: EmailValidationRow): AsyncGenerator<CsvRow[]> {
    let rows: CsvRow[] = [];
    const table = { ...file.layout!, position: file.position, line: file.line };
    for await (const read of storedRows(table, (index) => this.pieces.read(file, index))) {
      for (const row of read) {
        if (isBlank(row)) continue;
        rows.push(row);
        if (rows.length < rowsPerCommit) continue;
        yield rows;
        rows = [];
      }
    }
    if (rows.length > 0) yield rows;
  }

  private end(file: EmailValidationRow, status: EndOfFile, batch: WorkBatch): Promise<void> {
    return this.database.transaction(async () => {
      await this.files.finish(file, status);
      await batch.complete();
    });
  }
}

const isBlank = ({ cells, fault }: CsvRow): boolean => !fault && cells.every((cell) => cell.trim() === '');
