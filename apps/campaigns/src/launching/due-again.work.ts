import { Injectable } from '@nestjs/common';
import { maxHandedOver } from '@posthorn/contracts';
import { Database, DatabaseClock } from '@posthorn/database';
import { WorkRunner, type WorkBatch, type WorkHandler } from '@posthorn/work';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { HandOverCalls } from './hand-overs/hand-over-calls.js';
import { withTimes } from './hand-overs/hand-over-plan.js';
import { dueAgainWork, type DueAgain } from './launch-kinds.js';
import { Ledger } from './ledger.js';

/** After a campaign was resumed or cancelled: what sending keeps back until an hour later is marked again now, at the rate of the campaign. */
@Injectable()
export class DueAgainWork implements WorkHandler<DueAgain> {
  private readonly clock: DatabaseClock;

  constructor(
    private readonly database: Database,
    private readonly campaigns: CampaignsRepository,
    private readonly ledger: Ledger,
    private readonly calls: HandOverCalls,
    runner: WorkRunner,
  ) {
    this.clock = new DatabaseClock(database);
    runner.register(dueAgainWork, this);
  }

  async run(batch: WorkBatch<DueAgain>): Promise<void> {
    const [item] = batch.items;
    const { campaignId, after = null, nextDueAt } = item!.payload;
    const { projectId } = item!;
    const campaign = await this.campaigns.find(projectId, campaignId);
    const launch = await this.ledger.launch(projectId, campaignId);
    if (!campaign || !launch || campaign.status === 'PAUSED') return;
    const inHand = await this.ledger.inHand(launch, after, maxHandedOver);
    if (inHand.length === 0) return;
    const timed = withTimes(inHand, {
      now: await this.clock.now(),
      sendRate: campaign.status === 'CANCELLED' ? null : campaign.sendRate,
      nextDueAt: nextDueAt ? new Date(nextDueAt) : null,
    });
    const { recipients } = timed;
    await this.calls.handOver(launch, recipients);
    await this.database.transaction(async () => {
      await batch.hold(item!, {
        campaignId,
        after: recipients.at(-1)!.id,
        ...(timed.nextDueAt ? { nextDueAt: timed.nextDueAt.toISOString() } : {}),
      });
      await batch.continueLater(batch.items);
    });
  }
}
