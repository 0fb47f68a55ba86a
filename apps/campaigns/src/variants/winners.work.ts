import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { WorkQueue, WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { afterDeathMs, handOverWork, winnerWork } from '../launching/launch-kinds.js';
import { LaunchesRepository } from '../launching/launches.repository.js';
import { VariantCounts } from './variant-counts.read-model.js';
import { winnerOf } from './winner.js';

/** Decides which variant the rest of the audience gets. */
@Injectable()
export class WinnersWork implements WorkHandler<object> {
  constructor(
    private readonly database: Database,
    private readonly campaigns: CampaignsRepository,
    private readonly launches: LaunchesRepository,
    private readonly counts: VariantCounts,
    private readonly queue: WorkQueue,
    runner: WorkRunner,
  ) {
    runner.register(winnerWork, this);
  }

  run(batch: WorkBatch): Promise<void> {
    const [item] = batch.items;
    const { projectId, key } = item!;
    return this.database.transaction(async () => {
      const row = await this.campaigns.lock(projectId, key!);
      const measure = row?.test?.winnerBy;
      if (row?.variants && measure && measure !== 'MANUAL') {
        const counts = await this.counts.of(projectId, row.id, row.variants.length);
        await this.launches.decide(projectId, row.id, winnerOf(counts, measure));
        await this.queue.enqueue(handOverWork, [{ projectId, key: row.id }]);
      }
      await batch.complete();
    });
  }

  async dead({ projectId, key }: WorkItem): Promise<void> {
    await this.queue.enqueue(winnerWork, [{ projectId, key: key!, delayMs: afterDeathMs }]);
  }
}
