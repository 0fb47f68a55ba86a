import { Injectable } from '@nestjs/common';
import { WorkRunner, type WorkBatch, type WorkHandler } from '@posthorn/work';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { selfPauseWork, type SelfPause } from './launch-kinds.js';
import { SelfPauses } from './self-pauses.js';

@Injectable()
export class SelfPausesWork implements WorkHandler<SelfPause> {
  constructor(
    private readonly campaigns: CampaignsRepository,
    private readonly pauses: SelfPauses,
    runner: WorkRunner,
  ) {
    runner.register(selfPauseWork, this);
  }

  async run({ items: [item] }: WorkBatch<SelfPause>): Promise<void> {
    const { projectId, payload } = item!;
    const { campaignId, reason, why } = payload;
    const ids = campaignId ? [campaignId] : await this.campaigns.beingSent(projectId);
    for (const id of ids) await this.pauses.pauseSending({ projectId, id }, reason, why);
  }
}
