import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { WorkQueue, WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { withCampaign } from '../launching/campaign-item.js';
import { afterDeathMs, handOverWork, winnerWork } from '../launching/launch-kinds.js';
import { LaunchesRepository } from '../launching/launches.repository.js';
import { VariantCounts } from './variant-counts.read-model.js';
import { winnerOf } from './winner.js';

@Injectable()
export class WinnersWork implements WorkHandler<object> {
  constructor(
    readonly database: Database,
    readonly campaigns: CampaignsRepository,
    private readonly launches: LaunchesRepository,
    private readonly counts: VariantCounts,
    private readonly queue: WorkQueue,
    runner: WorkRunner,
  ) {
    runner.register(winnerWork, this);
  }

  run(batch: WorkBatch): Promise<void> {
    return withCampaign(this, batch, async ({ projectId, id, variants, test }) => {
      if (!variants || !test || test.winnerBy === 'MANUAL') return;
      const counts = await this.counts.of(projectId, id, variants.length);
      await this.launches.decide(projectId, id, winnerOf(counts, test.winnerBy));
      await this.queue.enqueue(handOverWork, [{ projectId, key: id }]);
    });
  }

  async dead({ projectId, key }: WorkItem): Promise<void> {
    await this.queue.enqueue(winnerWork, [{ projectId, key: key!, delayMs: afterDeathMs }]);
  }
}
