import { Injectable } from '@nestjs/common';
import { campaignMail, serviceCaller, unavailable, type CampaignMailState } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import { CampaignsConfig } from '../config.js';
import { LaunchesRepository } from './launches.repository.js';

const time = { timeoutShare: 0.6 };

@Injectable()
export class MailStates {
  constructor(
    private readonly bus: Bus,
    private readonly launches: LaunchesRepository,
    private readonly config: CampaignsConfig,
  ) {}

  /** After the deadline of the request that tells a state. */
  get repairMs(): number {
    return Math.max(5_000, 2 * this.config.answerWithinMs);
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
