import { Injectable } from '@nestjs/common';
import { campaignEvents, type RetriedCampaign, type RetryFailedById } from '@posthorn/contracts';
import { Outbox, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { WorkQueue } from '@posthorn/work';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { RecipientsRepository } from '../recipients/recipients.repository.js';
import { handOverWork } from './launch-kinds.js';

const atOnce = 5_000;

@Injectable()
export class RetriesService {
  constructor(
    private readonly campaigns: CampaignsRepository,
    private readonly recipients: RecipientsRepository,
    private readonly queue: WorkQueue,
    private readonly outbox: Outbox,
    private readonly commits: Commits,
  ) {}

  retryFailed({ caller, body, deadline }: Incoming<RetryFailedById>): Promise<RetriedCampaign> {
    const { projectId } = caller;
    const { id, includeUnconfirmed = false } = body;
    return this.commits.before(deadline, async () => {
      const row = await this.campaigns.lockOrFail(projectId, id);
      row.retry();
      const queued = await this.queueAgain({ projectId, campaignId: id }, includeUnconfirmed);
      if (queued > 0) {
        const saved = await this.campaigns.save(row);
        await this.queue.enqueue(handOverWork, [{ projectId, key: id }]);
        await this.outbox.publish(campaignEvents.changed, projectId, [saved.toEvent()]);
      }
      return { id, queued };
    });
  }

  private async queueAgain(
    campaign: { projectId: string; campaignId: string },
    includeUnconfirmed: boolean,
  ): Promise<number> {
    let [queued, last] = [0, 0];
    do {
      last = await this.recipients.retryFailed(campaign, { includeUnconfirmed, limit: atOnce });
      queued += last;
    } while (last === atOnce);
    return queued;
  }
}
