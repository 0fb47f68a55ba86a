import { Injectable } from '@nestjs/common';
import {
  campaignEvents,
  campaignFromTestKey,
  campaigns,
  type RetriedCampaign,
  type RetryFailedById,
} from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { Outbox, Handles, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { WorkQueue, WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { RecipientsRepository, type Retry } from '../recipients/recipients.repository.js';
import { handOverWork, retryFailedWork, afterDeathMs } from './launch-work.js';
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

/** For more the planner reads the whole table instead of looking them up. */
const atOnce = 1_000;

/** Queues what failed until the retry was asked for, and closes the ledger again. */
@Injectable()
export class RetriesWork implements WorkHandler<Retry> {
  constructor(
    private readonly database: Database,
    private readonly launches: LaunchesRepository,
    private readonly recipients: RecipientsRepository,
    private readonly queue: WorkQueue,
    runner: WorkRunner,
  ) {
    runner.register(retryFailedWork, this);
  }

  async run(batch: WorkBatch<Retry>): Promise<void> {
    const [item] = batch.items;
    const launch = await this.launches.find(item!.projectId, item!.key!);
    if (!launch) return;
    await this.database.transaction(async () => {
      await batch.hold(item!);
      const queued = await this.recipients.retryFailed(launch, { ...item!.payload, limit: atOnce });
      if (queued === atOnce) return batch.continueLater(batch.items);
      await this.launches.frozenTo(launch, null, true);
      await batch.complete();
    });
  }

  async dead({ projectId, key, payload }: WorkItem<Retry>): Promise<void> {
    await this.queue.enqueue(retryFailedWork, [{ projectId, key: key!, payload, delayMs: afterDeathMs }]);
  }
}
