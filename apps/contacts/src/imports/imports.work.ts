import { Injectable } from '@nestjs/common';
import { maxImportRows } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import { ImportBatches } from './import-batches.js';
import { importWork } from './import-kinds.js';
import { ImportReading } from './import-reading.js';
import type { ImportRow } from './import.entity.js';
import { ImportsRepository } from './imports.repository.js';

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
