import { Injectable } from '@nestjs/common';
import { serviceCaller } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import type { CampaignRow } from '../campaigns/campaign.entity.js';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { LateLaunches } from './late-launches.js';
import type { LaunchedContent } from './launches.repository.js';
import { afterDeathMs, scheduledLaunchWork } from './launch-kinds.js';
import { Launching } from './launching.js';
import { isLasting, SelfPauses } from './self-pauses.js';

/** Nobody waits for it. */
const time = { timeoutMs: 20_000 };

type Decision = { content: LaunchedContent } | { reason: 'LATE' | 'CONTENT'; why: string };

@Injectable()
export class ScheduledLaunchesWork implements WorkHandler<object> {
  constructor(
    private readonly database: Database,
    private readonly campaigns: CampaignsRepository,
    private readonly late: LateLaunches,
    private readonly launching: Launching,
    private readonly pauses: SelfPauses,
    runner: WorkRunner,
  ) {
    runner.register(scheduledLaunchWork, this);
  }

  async run(batch: WorkBatch): Promise<void> {
    const [item] = batch.items;
    const row = await this.campaigns.find(item!.projectId, item!.key!);
    if (row?.status !== 'SCHEDULED') return;
    const decision = await this.decide(row);
    await this.database.transaction(async () => {
      const locked = await this.campaigns.lockOrFail(row.projectId, row.id);
      // Edited meanwhile: the item is due again at once.
      if (locked.status === 'SCHEDULED' && locked.seq !== row.seq) return batch.continueLater(batch.items);
      if (locked.status === 'SCHEDULED') await this.apply(locked, decision);
      await batch.complete();
    });
  }

  async dead({ projectId, key }: WorkItem): Promise<void> {
    await this.launching.launchLater(projectId, key!, afterDeathMs);
  }

  /** What is no longer valid pauses the campaign; what may pass by itself is tried again. */
  private async decide(row: CampaignRow): Promise<Decision> {
    if (await this.late.isLate(row)) return { reason: 'LATE', why: 'its scheduled time was missed by hours' };
    try {
      return { content: await this.late.check(serviceCaller('campaigns', row.projectId), row, time) };
    } catch (error) {
      if (!isLasting(error)) throw error;
      return { reason: 'CONTENT', why: error.message };
    }
  }

  private async apply(row: CampaignRow, decision: Decision): Promise<void> {
    if ('content' in decision) await this.launching.begin(row, decision.content);
    else await this.pauses.pause(row, decision.reason, decision.why);
  }
}
