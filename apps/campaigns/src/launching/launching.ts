import { Injectable } from '@nestjs/common';
import { campaignEvents } from '@posthorn/contracts';
import { Outbox } from '@posthorn/messaging';
import { WorkQueue } from '@posthorn/work';
import type { CampaignRow } from '../campaigns/campaign.entity.js';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { freezeWork, handOverWork, scheduledLaunchWork, winnerWork } from './launch-work.js';
import { LaunchesRepository, type LaunchedContent } from './launches.repository.js';

const minuteMs = 60_000;

/** The moment from which a campaign is sent; within the transaction that locked its row. */
@Injectable()
export class Launching {
  constructor(
    private readonly campaigns: CampaignsRepository,
    private readonly launches: LaunchesRepository,
    private readonly queue: WorkQueue,
    private readonly outbox: Outbox,
  ) {}

  async schedule(row: CampaignRow, at: Date, { from }: LaunchedContent): Promise<CampaignRow> {
    const { projectId, id } = row;
    row.schedule(at, from);
    const saved = await this.campaigns.save(row);
    await this.queue.enqueue(scheduledLaunchWork, [{ projectId, key: id, dueAt: at }], 'REPLACE');
    await this.outbox.publish(campaignEvents.changed, projectId, [saved.toEvent()]);
    return saved;
  }

  /** After its work ended a process several times. */
  launchLater(projectId: string, id: string, delayMs: number): Promise<void> {
    return this.queue.enqueue(scheduledLaunchWork, [{ projectId, key: id, delayMs }]);
  }

  /** Also before its schedule, which then holds no longer. */
  async beginNow(row: CampaignRow, content: LaunchedContent): Promise<CampaignRow> {
    await this.unschedule(row);
    return this.begin(row, content);
  }

  async unschedule({ projectId, id }: CampaignRow): Promise<void> {
    await this.queue.cancel(scheduledLaunchWork, projectId, id);
  }

  async begin(row: CampaignRow, content: LaunchedContent): Promise<CampaignRow> {
    const { projectId, id } = row;
    row.launch();
    const saved = await this.campaigns.save(row);
    await this.launches.add(projectId, id, content);
    for (const kind of [freezeWork, handOverWork]) await this.queue.enqueue(kind, [{ projectId, key: id }]);
    if (row.test && row.test.winnerBy !== 'MANUAL')
      await this.queue.enqueue(winnerWork, [
        { projectId, key: id, delayMs: row.test.afterMinutes * minuteMs },
      ]);
    await this.outbox.publish(campaignEvents.launched, projectId, [saved.toEvent()]);
    return saved;
  }
}
