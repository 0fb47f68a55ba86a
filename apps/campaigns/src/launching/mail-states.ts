import { Injectable } from '@nestjs/common';
import { campaignMail, serviceCaller, unavailable, type CampaignMailState } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import { WorkQueue } from '@posthorn/work';
import { CampaignsConfig } from '../config.js';
import { handOverWork, mailStateWork } from './launch-kinds.js';
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
