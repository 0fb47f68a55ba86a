import { Injectable } from '@nestjs/common';
import { campaignMail, serviceCaller, type CampaignMailState } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import { LaunchesRepository } from './launches.repository.js';

const timeoutMs = 1_000;

/** Tells sending whether the mail of a campaign may leave: within the transaction that changes the campaign, so that the answer is true of both. */
@Injectable()
export class MailStates {
  constructor(
    private readonly bus: Bus,
    private readonly launches: LaunchesRepository,
  ) {}

  async set(projectId: string, campaignId: string, state: CampaignMailState): Promise<void> {
    const seq = await this.launches.nextStateSeq();
    await this.bus.call(
      campaignMail.setState,
      serviceCaller('campaigns', projectId),
      { campaignId, state, seq },
      { timeoutMs },
    );
  }
}
