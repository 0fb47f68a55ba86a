import { Injectable } from '@nestjs/common';
import { audiences, campaignMail, campaignWithoutRecipients, type Caller } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';
import type { CampaignRow } from '../campaigns/campaign.entity.js';
import type { LaunchedContent } from './launches.repository.js';
import { audienceOf } from '../campaigns/audience.js';

/** Both fit into what the gateway waits for the whole call. */
const timeoutMs = 1_200;

/** What other services must say before a campaign is launched. */
@Injectable()
export class LaunchChecks {
  constructor(private readonly bus: Bus) {}

  async check(caller: Caller, row: CampaignRow): Promise<LaunchedContent> {
    const content = await this.prepareContent(caller, row);
    await this.refuseEmptyAudience(caller, row);
    return content;
  }

  private async refuseEmptyAudience(caller: Caller, row: CampaignRow): Promise<void> {
    const { hasMembers } = await this.bus.call(
      audiences.check,
      caller,
      { ...audienceOf(row), subscribedOnly: row.emailCategory === 'MARKETING' },
      { timeoutMs },
    );
    if (!hasMembers) throw campaignWithoutRecipients();
  }

  /** Fixes the content. One that is not used afterwards does no harm. */
  private async prepareContent(caller: Caller, row: CampaignRow): Promise<LaunchedContent> {
    const { id: campaignId, subject, body, templateId, from, fromName, replyTo, emailCategory } = row;
    const { contentId, subject: launched } = await this.bus.call(
      campaignMail.prepare,
      caller,
      {
        campaignId,
        contentId: newId(),
        ...{ subject, body, templateId, from, fromName, replyTo },
        category: emailCategory,
      },
      { timeoutMs },
    );
    return { contentId, subject: launched };
  }
}
