import { Injectable } from '@nestjs/common';
import {
  audiences,
  campaignMail,
  campaignTopicArchived,
  campaignTopicUnknown,
  DomainError,
  isMjml,
  topics,
  type Audience,
  type Caller,
  type EmailCategory,
  type UpdateCampaign,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import { insideVariant } from './campaign-faults.js';
import { audienceOf } from './audience.js';
import type { CampaignRow } from './campaign.entity.js';

type Draft = Pick<CampaignRow, keyof Audience | 'emailCategory'>;

const audienceMembers = [
  'audienceType',
  'audienceCondition',
  'segmentId',
  'listId',
  'excludeSegmentIds',
  'excludeListIds',
] as const;

/** Of what the gateway waits for the whole call, which is 25 s for MJML, whose compiler must be loaded first. */
const time = { timeoutShare: 0.6 };
export const compileMs = 22_000;

/** Segments and lists belong to contacts, senders and templates to sending; their errors point to the members of a campaign. */
@Injectable()
export class References {
  constructor(private readonly bus: Bus) {}

  /** Of a draft, what was given: what it had before may have become unknown since. */
  async refuseUnknown(caller: Caller, draft: Draft, given: UpdateCampaign): Promise<void> {
    const changesAudience = audienceMembers.some((name) => name in given);
    await Promise.all([
      given.topicId ? this.checkTopic(caller, given.topicId) : null,
      changesAudience ? this.checkAudience(caller, draft) : null,
      this.checkMail(caller, given, draft.emailCategory),
      ...(given.variants ?? []).map((variant, index) =>
        this.checkMail(caller, variant, draft.emailCategory).catch((error: unknown) => {
          throw insideVariant(error, index);
        }),
      ),
    ]);
  }

  private async checkTopic(caller: Caller, id: string): Promise<void> {
    const topic = await this.bus.call(topics.get, caller, { id }, time).catch((error: unknown) => {
      throw error instanceof DomainError && error.kind === 'not_found' ? campaignTopicUnknown() : error;
    });
    if (topic.archived) throw campaignTopicArchived();
  }

  private async checkAudience(caller: Caller, draft: Draft): Promise<void> {
    const audience = audienceOf(draft);
    const names =
      audience.audienceType !== 'ALL' ||
      audience.excludeSegmentIds.length + audience.excludeListIds.length > 0;
    if (names) await this.bus.call(audiences.validate, caller, audience, time);
  }

  private async checkMail(caller: Caller, given: UpdateCampaign, category: EmailCategory): Promise<void> {
    const { subject = null, body = null, templateId = null, from = null, fromName = null } = given;
    if ([subject, body, templateId, from, fromName].every((member) => member === null)) return;
    await this.bus.call(
      campaignMail.check,
      caller,
      { subject, body, templateId, from, fromName, category },
      isMjml(body) ? { timeoutMs: compileMs } : time,
    );
  }
}
