import { Injectable } from '@nestjs/common';
import type { CampaignMailState, CampaignStatus } from '@posthorn/contracts';
import { Database, newId } from '@posthorn/database';
import { WorkQueue, WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { withCampaign } from './campaign-item.js';
import { afterDeathMs, dueAgainWork, mailStateWork } from './launch-kinds.js';
import { MailStates } from './mail-states.js';

const stateOf: Readonly<Record<CampaignStatus, CampaignMailState>> = {
  DRAFT: 'SENDING',
  SCHEDULED: 'SENDING',
  SENDING: 'SENDING',
  SENT: 'SENDING',
  PAUSED: 'PAUSED',
  CANCELLED: 'CANCELLED',
};

/** A message whose mark and outcome lie around the change is kept back after the first pass. */
const secondPassMs = 15_000;

/** Sending gets the state of the locked row, whatever became of the request that changed it; then what it kept back becomes due. */
@Injectable()
export class MailStatesWork implements WorkHandler<object> {
  constructor(
    readonly database: Database,
    readonly campaigns: CampaignsRepository,
    private readonly states: MailStates,
    private readonly queue: WorkQueue,
    runner: WorkRunner,
  ) {
    runner.register(mailStateWork, this);
  }

  run(batch: WorkBatch): Promise<void> {
    return withCampaign(this, batch, async ({ projectId, id, status }) => {
      await this.states.set(projectId, id, stateOf[status]);
      if (status === 'PAUSED') return;
      await this.queue.enqueue(
        dueAgainWork,
        [0, secondPassMs].map((delayMs) => ({
          projectId,
          key: newId(),
          payload: { campaignId: id },
          delayMs,
        })),
      );
    });
  }

  async dead({ projectId, key }: WorkItem): Promise<void> {
    await this.queue.enqueue(mailStateWork, [{ projectId, key: key!, delayMs: afterDeathMs }]);
  }
}
