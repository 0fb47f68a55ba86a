import { Injectable } from '@nestjs/common';
import { WorkRunner, type WorkBatch, type WorkHandler } from '@posthorn/work';
import { CountDeltas, countFoldsWork } from './count-deltas.repository.js';

const atOnce = 5_000;

/** Adds deltas to the counters soon after they were counted. */
@Injectable()
export class CountFoldsWork implements WorkHandler<object> {
  constructor(
    private readonly deltas: CountDeltas,
    runner: WorkRunner,
  ) {
    runner.register(countFoldsWork, this);
  }

  async run(batch: WorkBatch): Promise<void> {
    for (const item of batch.items) {
      const folded = await this.deltas.fold(item.projectId, atOnce);
      if (folded === atOnce) await batch.continueLater([item]);
    }
  }
}
