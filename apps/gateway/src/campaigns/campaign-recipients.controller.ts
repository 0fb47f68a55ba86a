import { Controller } from '@nestjs/common';
import {
  CampaignFailure,
  campaignDryRuns,
  campaignNotFound,
  CampaignProgress,
  CampaignRecipient,
  campaignRecipients,
  CampaignReport,
  DryRun,
  emails,
  RecipientFilter,
  recipientNotFound,
  RecipientWithEvents,
  senderNotVerified,
  SentMembers,
  type RecipientPage,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { DomainPage } from '../dialects/dialect.js';
import type { EventStream } from '../edge/routes/event-stream.js';
import type { RouteRequest } from '../edge/routes/route-request.js';
import { CampaignProgresses } from './campaign-progresses.js';
import { Get, Post } from '../edge/routes/route.js';

/** Enough for some ten thousand people; of larger audiences a part is rendered. */
const dryRunMs = 25_000;

@Controller()
export class CampaignRecipientsController {
  constructor(
    private readonly bus: Bus,
    private readonly progresses: CampaignProgresses,
  ) {}

  @Get('campaigns/:id/stats', {
    summary: 'Get the counts and rates of a campaign',
    scope: 'campaigns:read',
    reply: CampaignReport,
    missing: campaignNotFound,
  })
  stats({ caller, params }: RouteRequest): Promise<CampaignReport> {
    return this.bus.call(campaignRecipients.stats, caller, { id: params['id']! });
  }

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

  @Post('campaigns/:id/dry-run', {
    summary: 'See who would get a campaign now, rendered for everybody; nothing is sent',
    scope: 'campaigns:read',
    body: null,
    onlyReads: true,
    errorShape: SentMembers,
    reply: DryRun,
    missing: campaignNotFound,
    errors: [senderNotVerified],
  })
  dryRun({ caller, params }: RouteRequest): Promise<DryRun> {
    return this.bus.call(campaignDryRuns.run, caller, { id: params['id']! }, { timeoutMs: dryRunMs });
  }

  @Get('campaigns/:id/recipients', {
    summary: 'List the recipients of a campaign with their outcomes',
    scope: 'campaigns:read',
    query: RecipientFilter,
    listed: 'items',
    reply: CampaignRecipient,
    missing: campaignNotFound,
  })
  recipients({
    caller,
    params,
    query,
    listPage,
  }: RouteRequest<object, RecipientFilter>): Promise<RecipientPage> {
    return this.bus.call(campaignRecipients.list, caller, { id: params['id']!, ...query, ...listPage });
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
