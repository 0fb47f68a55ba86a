import { Injectable } from '@nestjs/common';
import {
  campaignEvents,
  campaignNotCompared,
  campaignVariantUnknown,
  campaigns,
  type Campaign,
  type ChooseWinnerById,
} from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { Handles, Outbox, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { WorkQueue, WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import { CampaignViews } from '../campaigns/campaign-views.js';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { handOverWork, withCampaign, afterDeathMs, winnerWork } from '../launching/launch-work.js';
import { LaunchesRepository } from '../launching/launches.repository.js';
import { VariantCounts } from '../recipients/recipients.read-model.js';
import { winnerOf } from './winner.js';

/** A winner that people choose, at any time before it is decided. */
@Injectable()
export class WinnersService {
  constructor(
    private readonly campaigns: CampaignsRepository,
    private readonly launches: LaunchesRepository,
    private readonly queue: WorkQueue,
    private readonly outbox: Outbox,
    private readonly commits: Commits,
    private readonly views: CampaignViews,
  ) {}

  @Handles(campaigns.chooseWinner)
  async choose({ caller, body, deadline }: Incoming<ChooseWinnerById>): Promise<Campaign> {
    const { projectId } = caller;
    const decided = await this.commits.before(deadline, async () => {
      const row = await this.campaigns.lockOrFail(projectId, body.id);
      if (row.variants === null || (row.status !== 'SENDING' && row.status !== 'PAUSED'))
        throw campaignNotCompared();
      const variant = row.variants.findIndex(({ name }) => name === body.variant);
      if (variant === -1) throw campaignVariantUnknown();
      const isFirst = await this.launches.decide(projectId, row.id, { variant, decidedBy: 'MANUAL' });
      if (!isFirst) throw campaignNotCompared();
      await this.queue.enqueue(handOverWork, [{ projectId, key: row.id }]);
      await this.outbox.publish(campaignEvents.changed, projectId, [row.toEvent()]);
      return row;
    });
    return this.views.one(decided);
  }
}

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
