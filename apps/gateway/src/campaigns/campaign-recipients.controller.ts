import { Controller } from '@nestjs/common';
import {
  CampaignFailure,
  campaignNotFound,
  CampaignProgress,
  campaignRecipients,
  emails,
  recipientNotFound,
  RecipientWithEvents,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { DomainPage } from '../dialects/dialect.js';
import type { EventStream } from '../routes/event-stream.js';
import type { RouteRequest } from '../routes/route-request.js';
import { CampaignProgresses } from './campaign-progresses.js';
import { Get } from '../routes/route.js';

@Controller()
export class CampaignRecipientsController {
  constructor(
    private readonly bus: Bus,
    private readonly progresses: CampaignProgresses,
  ) {}

  @Get('campaigns/:id/progress', {
    summary: 'Get how far a campaign has come; with Accept: text/event-stream each change of it as an event',
    scope: 'campaigns:read',
    reply: CampaignProgress,
    streamed: 'events',
    missing: campaignNotFound,
  })
  async progress({ caller, params, wantsEvents }: RouteRequest): Promise<CampaignProgress | EventStream> {
    const progress = await this.bus.call(campaignRecipients.progress, caller, { id: params['id']! });
    return wantsEvents ? this.progresses.follow(progress, caller) : progress;
  }

  @Get('campaigns/:id/recipients/:contactId', {
    summary: 'Get what became of one recipient of a campaign, with the events of the e-mail',
    scope: 'campaigns:read',
    reply: RecipientWithEvents,
    missing: recipientNotFound,
  })
  async recipient({ caller, params }: RouteRequest): Promise<RecipientWithEvents> {
    const id = { id: params['id']!, contactId: params['contactId']! };
    const recipient = await this.bus.call(campaignRecipients.get, caller, id);
    if (recipient.emailId === null) return { ...recipient, events: [] };
    const { events } = await this.bus.call(emails.get, caller, { id: recipient.emailId });
    return { ...recipient, events };
  }

  @Get('campaigns/:id/failures', {
    summary: 'List the recipients of a campaign whose mail failed, with the reasons',
    scope: 'campaigns:read',
    listed: 'items',
    showsTotal: true,
    reply: CampaignFailure,
    missing: campaignNotFound,
  })
  async failures({ caller, params, listPage }: RouteRequest): Promise<DomainPage> {
    const page = await this.bus.call(campaignRecipients.failures, caller, { id: params['id']!, ...listPage });
    return { ...page, exactTotal: page.total! };
  }
}
