import { Injectable } from '@nestjs/common';
import { WorkQueue, WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import { AudiencePages } from '../audiences/audience-pages.js';
import type { CampaignRow } from '../campaigns/campaign.entity.js';
import { afterDeathMs, freezeWork, handOverWork } from './launch-work.js';
import type { LaunchRow } from './launch.entity.js';
import { Ledger } from './ledger.js';
import { isLasting, SelfPauses } from './self-pauses.js';

/** After these another campaign has its turn. */
const pagesPerTurn = 20;
/** It is tried again as long as the campaign is not cancelled. */
const afterFaultMs = 30_000;

/** Writes the audience into the ledger, page by page. After a crash it goes on behind the last page that was committed. */
@Injectable()
export class FreezesWork implements WorkHandler<object> {
  constructor(
    private readonly ledger: Ledger,
    private readonly pauses: SelfPauses,
    private readonly pages: AudiencePages,
    private readonly queue: WorkQueue,
    runner: WorkRunner,
  ) {
    runner.register(freezeWork, this);
  }

  async run(batch: WorkBatch): Promise<void> {
    const launched = await this.ledger.launched(batch.items[0]!);
    if (!launched || launched.launch.isFrozen) return;
    const { campaign, launch } = launched;
    try {
      for (let page = 0; page < pagesPerTurn && !batch.stopping; page += 1)
        if (!(await this.nextPage(campaign, launch, batch))) return;
    } catch (error) {
      if (!isLasting(error)) throw error;
      await this.pauses.pause(campaign, 'CONTENT', error.message);
      return batch.postpone(batch.items, afterFaultMs);
    }
    await batch.continueLater(batch.items);
  }

  async dead({ projectId, key }: WorkItem): Promise<void> {
    await this.queue.enqueue(freezeWork, [{ projectId, key: key!, delayMs: afterDeathMs }]);
  }

  /** False after the last page, and where the campaign is cancelled. */
  private async nextPage(campaign: CampaignRow, launch: LaunchRow, batch: WorkBatch): Promise<boolean> {
    const isFirst = launch.frozenTo === null;
    const { rows, next } = await this.pages.recipients(campaign, launch);
    const isAdded = await this.ledger.addPage(launch, rows, next, batch);
    // The hand-over may have found nobody yet, and rest.
    if (isFirst && isAdded)
      await this.queue.enqueue(handOverWork, [{ projectId: launch.projectId, key: launch.campaignId }]);
    launch.frozenTo = next;
    return isAdded && next !== null;
  }
}
