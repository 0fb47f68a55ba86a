import { Injectable } from '@nestjs/common';
import { importNotFound, suppressionFacts, type Caller, type SuppressionImport } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { Outbox, Upkeep } from '@posthorn/messaging';
import { CsvError } from 'csv-parse';
import { importRows, layoutOf, type ImportRow } from './import-rows.js';
import type { SuppressionImportRow } from './suppression-import.entity.js';
import { SuppressionImportsRepository } from './suppression-imports.repository.js';
import { SuppressionsRepository } from './suppressions.repository.js';

const everyMs = 1_000;
const batchSize = 1_000;

/** Takes lists in batch by batch; how far one has come is written in the transaction of each batch. */
@Injectable()
export class SuppressionImports extends Upkeep {
  private stopping = false;

  constructor(
    private readonly database: Database,
    private readonly imports: SuppressionImportsRepository,
    private readonly suppressions: SuppressionsRepository,
    private readonly outbox: Outbox,
  ) {
    super('SuppressionImports', everyMs, () => this.round());
  }

  override onModuleDestroy(): Promise<void> {
    this.stopping = true;
    return super.onModuleDestroy();
  }

  async start({ projectId, actor }: Caller, csv: string): Promise<SuppressionImport> {
    layoutOf(csv);
    const source = actor.kind === 'USER' ? 'DASHBOARD' : 'API';
    return (await this.imports.insert(projectId, { csv, source, total: await countRows(csv) })).toImport();
  }

  async get(projectId: string, id: string): Promise<SuppressionImport> {
    const row = await this.imports.find(projectId, id);
    if (!row) throw importNotFound();
    return row.toImport();
  }

  private async round(): Promise<void> {
    while (!this.stopping) {
      const row = await this.imports.take();
      if (!row) return;
      await this.run(row);
    }
  }

  private async run(row: SuppressionImportRow): Promise<void> {
    try {
      const whole = await this.takeIn(row);
      if (whole) await this.imports.finish(row, 'COMPLETED');
      else await this.imports.leave(row);
    } catch (error) {
      // What was read before the fault stays.
      if (!(error instanceof CsvError)) throw error;
      await this.imports.finish(row, 'FAILED');
    }
  }

  /** Answers false where it was not to be finished here. */
  private async takeIn(row: SuppressionImportRow): Promise<boolean> {
    for await (const batch of batchesOf(row.csv, row.processed)) {
      if (this.stopping || !(await this.store(row, batch))) return false;
    }
    return true;
  }

  /** As one suppression does it, for all: once it has committed, no hand-off to any of them begins (guarantees.md G8). */
  private async store(row: SuppressionImportRow, batch: readonly ImportRow[]): Promise<boolean> {
    const { projectId } = row;
    const readable = batch.filter((each) => each !== null);
    const advanced = await this.database.transaction(async () => {
      const locked = await this.imports.lock(projectId, row.id);
      // Somebody else went on with it meanwhile.
      if (locked?.processed !== row.processed || locked.finishedAt) return false;
      await this.suppressions.lockAll(
        projectId,
        readable.map(({ email }) => email),
      );
      const created = await this.suppressions.putAll(projectId, readable, row);
      const counts = {
        processed: batch.length,
        created: created.length,
        skipped: readable.length - created.length,
        failed: batch.length - readable.length,
      };
      await this.imports.advance(row, counts);
      await this.outbox.publish(
        suppressionFacts.added,
        projectId,
        created.map(({ email, reason, createdAt }) => ({ email, reason, at: createdAt })),
      );
      return true;
    });
    if (advanced) row.processed += batch.length;
    this.outbox.ring();
    return advanced;
  }
}

/** What follows the rows that are known, by the batch; the rows before a fault come before it. */
async function* batchesOf(csv: string, known: number): AsyncGenerator<ImportRow[]> {
  let place = 0;
  let batch: ImportRow[] = [];
  try {
    for await (const each of importRows(csv)) {
      place += 1;
      if (place > known) batch.push(each);
      if (batch.length === batchSize) {
        yield batch;
        batch = [];
      }
    }
  } catch (error) {
    if (batch.length > 0) yield batch;
    throw error;
  }
  if (batch.length > 0) yield batch;
}

/** Only to say how far it is: a list whose end cannot be read has the rows before it. */
async function countRows(csv: string): Promise<number> {
  let count = 0;
  try {
    for await (const _ of importRows(csv)) count += 1;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
  }
  return count;
}
