import { Injectable } from '@nestjs/common';
import type { CampaignMailState, CampaignStatus } from '@posthorn/contracts';
import { Database, newId } from '@posthorn/database';
import { WorkQueue, WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
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
    private readonly database: Database,
    private readonly campaigns: CampaignsRepository,
    private readonly states: MailStates,
    private readonly queue: WorkQueue,
    runner: WorkRunner,
  ) {
    runner.register(mailStateWork, this);
  }

  run(batch: WorkBatch): Promise<void> {
    const [item] = batch.items;
    const { projectId, key } = item!;
    return this.database.transaction(async () => {
      const row = await this.campaigns.lock(projectId, key!);
      if (row) {
        await this.states.set(projectId, row.id, stateOf[row.status]);
        if (row.status !== 'PAUSED')
          await this.queue.enqueue(
            dueAgainWork,
            [0, secondPassMs].map((delayMs) => ({
              projectId,
              key: newId(),
              payload: { campaignId: row.id },
              delayMs,
            })),
          );
      }
      await batch.complete();
    });
  }

  async dead({ projectId, key }: WorkItem): Promise<void> {
    await this.queue.enqueue(mailStateWork, [{ projectId, key: key!, delayMs: afterDeathMs }]);
  }
}
