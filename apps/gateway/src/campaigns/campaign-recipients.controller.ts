import { Controller } from '@nestjs/common';
import {
  CampaignFailure,
  campaignNotFound,
  CampaignRecipient,
  campaignRecipients,
  CampaignReport,
  RecipientFilter,
  type RecipientPage,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { DomainPage } from '../dialects/dialect.js';
import type { RouteRequest } from '../edge/routes/route-request.js';
import { Get } from '../edge/routes/route.js';

@Controller()
export class CampaignRecipientsController {
  constructor(private readonly bus: Bus) {}

  @Get('campaigns/:id/stats', {
    summary: 'Get the counts and rates of a campaign',
    scope: 'campaigns:read',
    reply: CampaignReport,
    missing: campaignNotFound,
  })
  stats({ caller, params }: RouteRequest): Promise<CampaignReport> {
    return this.bus.call(campaignRecipients.stats, caller, { id: params['id']! });
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
