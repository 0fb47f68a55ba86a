import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { WorkRunner, type WorkBatch, type WorkHandler } from '@posthorn/work';
import { importPurgeWork } from './import-kinds.js';
import { ImportPiecesRepository } from './import-pieces.repository.js';
import { ImportsRepository } from './imports.repository.js';

const piecesAtOnce = 64;

@Injectable()
export class ImportPurgesWork implements WorkHandler<object> {
  constructor(
    private readonly database: Database,
    private readonly imports: ImportsRepository,
    private readonly pieces: ImportPiecesRepository,
    runner: WorkRunner,
  ) {
    runner.register(importPurgeWork, this);
  }

  async run(batch: WorkBatch): Promise<void> {
    const [item] = batch.items;
    const ended = { projectId: item!.projectId, id: item!.key! };
    await this.database.transaction(async () => {
      if (!(await this.pieces.removeSome(ended, piecesAtOnce))) return batch.goOn(batch.items);
      await this.imports.forgetPieces(ended);
      await batch.complete();
    });
  }
}
