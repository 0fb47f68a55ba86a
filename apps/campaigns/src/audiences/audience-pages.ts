import { Injectable } from '@nestjs/common';
import {
  audiences,
  maxAudiencePage,
  serviceCaller,
  type AudienceMember,
  type AudiencePage,
  type Caller,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import { audienceOf, topicOf } from '../campaigns/audience.js';
import type { CampaignRow } from '../campaigns/campaign.entity.js';
import type { LaunchRow } from '../launching/launch.entity.js';
import type { NewRecipient } from '../recipients/recipients.repository.js';
import { RecipientTimes } from '../timing/recipient-times.js';
import { assignedTo } from '../variants/assignment.js';
import { Unopened } from './unopened.read-model.js';

interface Position {
  after: string | null;
  /** Contacts that were created later do not belong to it. */
  until: Date;
  timeoutMs: number;
}

export interface RecipientPage {
  rows: NewRecipient[];
  next: string | null;
}

const freezeMs = 20_000;

/** The audience of a campaign, page by page in the order of its contacts. */
@Injectable()
export class AudiencePages {
  constructor(
    private readonly bus: Bus,
    private readonly unopened: Unopened,
    private readonly times: RecipientTimes,
  ) {}

  async members(
    caller: Caller,
    campaign: CampaignRow,
    { after, until, timeoutMs }: Position,
  ): Promise<AudiencePage> {
    const { timeZoneField } = campaign.timing ?? {};
    const topicId = topicOf(campaign);
    const query = {
      audience: audienceOf(campaign),
      ...(after ? { after } : {}),
      ...(timeZoneField ? { timeZoneField } : {}),
      ...(topicId ? { topicId } : {}),
      until,
      limit: maxAudiencePage,
    };
    const { items, next } = await this.bus.call(audiences.page, caller, query, { timeoutMs });
    const { projectId, resendOfId } = campaign;
    return { items: resendOfId ? await this.unopened.among(projectId, resendOfId, items) : items, next };
  }

  /** As rows of the ledger. */
  async recipients(campaign: CampaignRow, launch: LaunchRow): Promise<RecipientPage> {
    const caller = serviceCaller('campaigns', campaign.projectId);
    const position = { after: launch.frozenTo, until: launch.launchedAt, timeoutMs: freezeMs };
    const { items, next } = await this.members(caller, campaign, position);
    const times = await this.times.of(campaign, launch, items);
    return {
      rows: items.map((member, index) => ({ ...recipientOf(member, campaign), ...times[index]! })),
      next,
    };
  }
}

/** Why a member of the audience does not get the campaign; null where it does. */
export function skipReasonOf(
  { excluded, subscribed, optedIn }: AudienceMember,
  campaign: CampaignRow,
): NewRecipient['skipReason'] {
  if (excluded) return 'excluded';
  if (campaign.emailCategory === 'MARKETING' && !subscribed) return 'unsubscribed';
  return topicOf(campaign) !== null && optedIn !== true ? 'topic' : null;
}

function recipientOf(member: AudienceMember, campaign: CampaignRow) {
  const { variant } = assignedTo(member.contactId, campaign);
  return {
    ...member,
    skipReason: skipReasonOf(member, campaign),
    variant,
    waitsForWinner: campaign.variants !== null && variant === null,
  };
}
