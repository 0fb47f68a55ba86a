import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import { importRows, ListUnreadable, type ImportRow } from './import-rows.js';
import { suppressionImportWork, SuppressionImportsRepository } from './suppression-imports.repository.js';
import type { SuppressionImportRow } from './suppression-import.entity.js';
import { SuppressionsRepository } from './suppressions.repository.js';
import { SuppressionsService } from './suppressions.service.js';

const batchSize = 1_000;
/** After these another project has its turn. */
const commitsPerTurn = 20;

/** After a crash an import continues at the position that was committed with its last rows. */
@Injectable()
export class SuppressionImportsWork implements WorkHandler<object> {
  constructor(
    private readonly database: Database,
    private readonly imports: SuppressionImportsRepository,
    private readonly suppressions: SuppressionsRepository,
    private readonly service: SuppressionsService,
    runner: WorkRunner,
  ) {
    runner.register(suppressionImportWork, this);
  }

  async run(batch: WorkBatch): Promise<void> {
    const [item] = batch.items;
    const row = await this.imports.find(item!.projectId, item!.key!);
    if (!row || row.finishedAt) return;
    await this.imports.begin(row);
    try {
      await this.turn(row, batch);
    } catch (error) {
      // The rows before the malformed one stay.
      if (!(error instanceof ListUnreadable)) throw error;
      await this.end(row, 'FAILED', batch);
    }
  }

  async dead({ projectId, key }: WorkItem): Promise<void> {
    await this.imports.finish({ projectId, id: key! }, 'FAILED');
  }

  private async turn(row: SuppressionImportRow, batch: WorkBatch): Promise<void> {
    const [item] = batch.items;
    let commits = 0;
    for await (const rows of batchesOf(row.csv, row.processed)) {
      await this.store(row, rows, () => batch.hold(item!));
      commits += 1;
      if (batch.stopping || commits === commitsPerTurn) return batch.continueLater(batch.items);
    }
    await this.end(row, 'COMPLETED', batch);
  }

  /** Under the locks of the addresses: after the commit no hand-off to any of them begins (docs/guarantees.md G8). */
  private async store(
    row: SuppressionImportRow,
    rows: readonly ImportRow[],
    hold: () => Promise<void>,
  ): Promise<void> {
    const { projectId } = row;
    const readable = rows.filter((each) => each !== null);
    await this.database.transaction(async () => {
      await hold();
      await this.suppressions.lockAll(
        projectId,
        readable.map(({ email }) => email),
      );
      const created = await this.service.add(projectId, readable, row);
      const counts = {
        processed: rows.length,
        created: created.length,
        skipped: readable.length - created.length,
        failed: rows.length - readable.length,
      };
      await this.imports.advance(row, counts);
    });
  }

  private end(row: SuppressionImportRow, status: 'COMPLETED' | 'FAILED', batch: WorkBatch): Promise<void> {
    return this.database.transaction(async () => {
      await this.imports.finish(row, status);
      await batch.complete();
    });
  }
}

/** The rows after the first `processed` ones; those before a malformed row are yielded before it throws. */
async function* batchesOf(csv: string, processed: number): AsyncGenerator<ImportRow[]> {
  let position = 0;
  let rows: ImportRow[] = [];
  try {
    for await (const each of importRows(csv)) {
      position += 1;
      if (position > processed) rows.push(each);
      if (rows.length === batchSize) {
        yield rows;
        rows = [];
      }
    }
  } catch (error) {
    if (rows.length > 0) yield rows;
    throw error;
  }
  if (rows.length > 0) yield rows;
}
