import { Injectable } from '@nestjs/common';
import {
  campaignEvents,
  campaignFromTestKey,
  campaigns,
  type RetriedCampaign,
  type RetryFailedById,
} from '@posthorn/contracts';
import { Outbox, Handles, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { WorkQueue } from '@posthorn/work';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { RecipientsRepository } from '../recipients/recipients.repository.js';
import { handOverWork, retryFailedWork } from './launch-kinds.js';
import { LaunchesRepository } from './launches.repository.js';

@Injectable()
export class RetriesService {
  constructor(
    private readonly campaigns: CampaignsRepository,
    private readonly launches: LaunchesRepository,
    private readonly recipients: RecipientsRepository,
    private readonly queue: WorkQueue,
    private readonly outbox: Outbox,
    private readonly commits: Commits,
  ) {}

  /** The campaign is being sent again at once; its rows follow in batches. */
  @Handles(campaigns.retryFailed)
  retryFailed({ caller, body, deadline }: Incoming<RetryFailedById>): Promise<RetriedCampaign> {
    if (caller.mode === 'TEST') throw campaignFromTestKey();
    const { projectId } = caller;
    const { id, includeUnconfirmed = false } = body;
    return this.commits.before(deadline, async () => {
      const row = await this.campaigns.lockOrFail(projectId, id);
      row.retry();
      const { count, ...retry } = await this.recipients.failed(
        { projectId, campaignId: id },
        includeUnconfirmed,
      );
      if (count > 0) {
        const saved = await this.campaigns.save(row);
        await this.launches.reopen(projectId, id);
        await this.queue.enqueue(retryFailedWork, [{ projectId, key: id, payload: retry }], 'REPLACE');
        await this.queue.enqueue(handOverWork, [{ projectId, key: id }]);
        await this.outbox.publish(campaignEvents.changed, projectId, [saved.toEvent()]);
      }
      return { id, queued: count };
    });
  }
}
