import { Injectable } from '@nestjs/common';
import {
  campaignMail,
  serviceCaller,
  unavailable,
  type CampaignMailState,
  type CampaignStatus,
} from '@posthorn/contracts';
import { Database, newId } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';
import { WorkQueue, WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { CampaignsConfig } from '../config.js';
import { handOverWork, mailStateWork, withCampaign, afterDeathMs, dueAgainWork } from './launch-work.js';
import { LaunchesRepository } from './launches.repository.js';

const time = { timeoutShare: 0.6 };

@Injectable()
export class MailStates {
  constructor(
    private readonly bus: Bus,
    private readonly launches: LaunchesRepository,
    private readonly config: CampaignsConfig,
    private readonly queue: WorkQueue,
  ) {}

  /** After the deadline of the request that tells a state, whose process may die before it commits. */
  async repairLater(projectId: string, id: string): Promise<void> {
    const delayMs = Math.max(5_000, 2 * this.config.answerWithinMs);
    await this.queue.enqueue(mailStateWork, [{ projectId, key: id, delayMs }]);
  }

  /** With the change of a campaign. */
  async follow(projectId: string, id: string): Promise<void> {
    for (const kind of [mailStateWork, handOverWork])
      await this.queue.enqueue(kind, [{ projectId, key: id }]);
  }

  async set(projectId: string, campaignId: string, state: CampaignMailState): Promise<void> {
    const seq = await this.launches.nextStateSeq();
    const held = await this.bus.call(
      campaignMail.setState,
      serviceCaller('campaigns', projectId),
      { campaignId, state, seq },
      time,
    );
    // Sending knows a later word, as after this database was restored; the next number may be higher than that.
    if (held.state !== state) throw unavailable();
  }
}

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
