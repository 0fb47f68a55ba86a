import { Controller } from '@nestjs/common';
import {
  Campaign,
  campaignNotDraft,
  campaignNotEditable,
  campaignNotFound,
  campaigns,
  CreateCampaign,
  DeletedCampaign,
  keyInFlight,
  keyReused,
  senderNotVerified,
  UpdateCampaign,
  type CampaignPage,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { RouteRequest } from '../edge/routes/route-request.js';
import { Delete, Get, Patch, Post } from '../edge/routes/route.js';

@Controller()
export class CampaignsController {
  constructor(private readonly bus: Bus) {}

  @Post('campaigns', {
    summary: 'Create a campaign in DRAFT',
    scope: 'campaigns:write',
    body: CreateCampaign,
    reply: Campaign,
    success: 'created',
    idempotent: true,
    errors: [senderNotVerified, keyInFlight, keyReused],
  })
  create({ caller, body, idempotency }: RouteRequest<CreateCampaign>): Promise<Campaign> {
    return this.bus.call(campaigns.create, caller, { ...body, idempotency });
  }

  @Get('campaigns', {
    summary: 'List campaigns, newest first',
    scope: 'campaigns:read',
    listed: 'items',
    reply: Campaign,
  })
  list({ caller, listPage }: RouteRequest): Promise<CampaignPage> {
    return this.bus.call(campaigns.list, caller, listPage);
  }

  @Get('campaigns/:id', {
    summary: 'Get a campaign',
    scope: 'campaigns:read',
    reply: Campaign,
    missing: campaignNotFound,
  })
  get({ caller, params }: RouteRequest): Promise<Campaign> {
    return this.bus.call(campaigns.get, caller, { id: params['id']! });
  }

  @Patch('campaigns/:id', {
    summary: 'Update a campaign in DRAFT or SCHEDULED',
    scope: 'campaigns:write',
    body: UpdateCampaign,
    reply: Campaign,
    missing: campaignNotFound,
    errors: [campaignNotEditable, senderNotVerified],
  })
  update({ caller, params, body }: RouteRequest<UpdateCampaign>): Promise<Campaign> {
    return this.bus.call(campaigns.update, caller, { ...body, id: params['id']! });
  }

  @Delete('campaigns/:id', {
    summary: 'Delete a campaign in DRAFT',
    scope: 'campaigns:write',
    reply: DeletedCampaign,
    success: 'deleted',
    missing: campaignNotFound,
    errors: [campaignNotDraft],
  })
  delete({ caller, params }: RouteRequest): Promise<DeletedCampaign> {
    return this.bus.call(campaigns.delete, caller, { id: params['id']! });
  }

  @Post('campaigns/:id/clone', {
    summary: 'Copy a campaign to a new DRAFT',
    scope: 'campaigns:write',
    body: null,
    reply: Campaign,
    success: 'created',
    missing: campaignNotFound,
  })
  clone({ caller, params }: RouteRequest): Promise<Campaign> {
    return this.bus.call(campaigns.clone, caller, { id: params['id']! });
  }
}
