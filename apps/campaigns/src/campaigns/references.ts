import { Injectable } from '@nestjs/common';
import { audiences, campaignMail, type Caller } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import { audienceOf } from './audience.js';
import type { CampaignRow } from './campaign.entity.js';

type Draft = Omit<CampaignRow, 'seq' | 'createdAt' | 'updatedAt'>;

/** Within the 1.7 s that the gateway waits for the whole call. */
const timeoutMs = 1_000;

/** Segments and lists belong to contacts, senders and templates to sending; their errors point to the members of a campaign. */
@Injectable()
export class References {
  constructor(private readonly bus: Bus) {}

  async refuseUnknown(caller: Caller, draft: Draft): Promise<void> {
    await Promise.all([this.checkAudience(caller, draft), this.checkMail(caller, draft)]);
  }

  private async checkAudience(caller: Caller, draft: Draft): Promise<void> {
    const audience = audienceOf(draft);
    const names =
      audience.audienceType !== 'ALL' ||
      audience.excludeSegmentIds.length + audience.excludeListIds.length > 0;
    if (names) await this.bus.call(audiences.validate, caller, audience, { timeoutMs });
  }

  private async checkMail(caller: Caller, draft: Draft): Promise<void> {
    const { subject, body, templateId, from, emailCategory: category } = draft;
    if ([subject, body, templateId, from].every((member) => member === null)) return;
    await this.bus.call(campaignMail.check, caller, { subject, body, templateId, from, category }, { timeoutMs });
  }
}
