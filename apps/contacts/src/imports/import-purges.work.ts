import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { WorkRunner, type WorkBatch, type WorkHandler } from '@posthorn/work';
import { importPurgeWork, rejectedRowsWork } from './import-kinds.js';
import { ImportErrorsRepository } from './import-errors.repository.js';
import { ImportPiecesRepository } from './import-pieces.repository.js';
import { ImportsRepository } from './imports.repository.js';

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
