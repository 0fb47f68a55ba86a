import { Controller } from '@nestjs/common';
import {
  Campaign,
  CampaignFilter,
  campaignFromTestKey,
  campaignNotCancellable,
  campaignNotCompared,
  campaignNotDraft,
  campaignNotEditable,
  campaignNotFound,
  campaignNotPaused,
  campaignNotResendable,
  campaignOpensUntracked,
  campaignNotSendable,
  campaignNotSending,
  campaignNotSent,
  CampaignTest,
  campaignTestToStranger,
  campaigns,
  campaignVariantUnknown,
  campaignWithoutRecipients,
  ChooseWinner,
  CreateCampaign,
  DeletedCampaign,
  isMjml,
  keyInFlight,
  keyReused,
  ResendCampaign,
  RetriedCampaign,
  RetryFailed,
  SendCampaign,
  SentMembers,
  senderNotVerified,
  TestCampaign,
  UpdateCampaign,
  type CampaignPage,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { RouteRequest } from '../edge/routes/route-request.js';
import { CampaignTestsService } from './campaign-tests.service.js';
import { Delete, Get, Patch, Post } from '../edge/routes/route.js';
import { renderingTime } from '../templates/rendering-time.js';

const waitFor = ({ body, variants }: UpdateCampaign) =>
  [body, ...(variants ?? []).map((variant) => variant.body)].some(isMjml) ? renderingTime : {};

@Controller()
export class CampaignsController {
  constructor(
    private readonly bus: Bus,
    private readonly tests: CampaignTestsService,
  ) {}

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
    return this.bus.call(campaigns.create, caller, { ...body, idempotency }, waitFor(body));
  }

  @Get('campaigns', {
    summary: 'List campaigns, newest first',
    scope: 'campaigns:read',
    query: CampaignFilter,
    listed: 'items',
    reply: Campaign,
  })
  list({ caller, query, listPage }: RouteRequest<object, CampaignFilter>): Promise<CampaignPage> {
    return this.bus.call(campaigns.list, caller, { ...query, ...listPage });
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
    return this.bus.call(campaigns.update, caller, { ...body, id: params['id']! }, waitFor(body));
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

  @Post('campaigns/:id/send', {
    summary: 'Send a campaign now, or schedule it',
    scope: 'campaigns:send',
    body: SendCampaign,
    mayBeEmpty: true,
    reply: Campaign,
    success: 'accepted',
    idempotent: true,
    missing: campaignNotFound,
    errorShape: SentMembers,
    errors: [
      campaignNotSendable,
      campaignWithoutRecipients,
      campaignFromTestKey,
      senderNotVerified,
      keyInFlight,
      keyReused,
    ],
  })
  send({ caller, params, body, idempotency }: RouteRequest<SendCampaign>): Promise<Campaign> {
    return this.bus.call(campaigns.send, caller, { ...body, id: params['id']!, idempotency }, renderingTime);
  }

  @Post('campaigns/:id/cancel', {
    summary: 'Cancel a campaign that is scheduled, being sent or paused',
    scope: 'campaigns:send',
    body: null,
    reply: Campaign,
    missing: campaignNotFound,
    errors: [campaignNotCancellable],
  })
  cancel({ caller, params }: RouteRequest): Promise<Campaign> {
    return this.bus.call(campaigns.cancel, caller, { id: params['id']! });
  }

  @Post('campaigns/:id/pause', {
    summary: 'Pause the sending of a campaign',
    scope: 'campaigns:send',
    body: null,
    reply: Campaign,
    missing: campaignNotFound,
    errors: [campaignNotSending],
  })
  pause({ caller, params }: RouteRequest): Promise<Campaign> {
    return this.bus.call(campaigns.pause, caller, { id: params['id']! });
  }

  @Post('campaigns/:id/resume', {
    summary: 'Go on sending a paused campaign',
    scope: 'campaigns:send',
    body: null,
    reply: Campaign,
    missing: campaignNotFound,
    errorShape: SentMembers,
    errors: [campaignNotPaused],
  })
  resume({ caller, params }: RouteRequest): Promise<Campaign> {
    return this.bus.call(campaigns.resume, caller, { id: params['id']! }, renderingTime);
  }

  @Post('campaigns/:id/winner', {
    summary: 'Choose the variant that the rest of the audience gets',
    scope: 'campaigns:send',
    body: ChooseWinner,
    reply: Campaign,
    missing: campaignNotFound,
    errors: [campaignNotCompared, campaignVariantUnknown],
  })
  winner({ caller, params, body }: RouteRequest<ChooseWinner>): Promise<Campaign> {
    return this.bus.call(campaigns.chooseWinner, caller, { ...body, id: params['id']! });
  }

  @Post('campaigns/:id/retry-failed', {
    summary: 'Send a campaign again to those of its recipients whose mail failed',
    scope: 'campaigns:send',
    body: RetryFailed,
    mayBeEmpty: true,
    reply: RetriedCampaign,
    success: 'accepted',
    missing: campaignNotFound,
    errors: [campaignNotSent],
  })
  retryFailed({ caller, params, body }: RouteRequest<RetryFailed>): Promise<RetriedCampaign> {
    return this.bus.call(campaigns.retryFailed, caller, { ...body, id: params['id']! });
  }

  @Post('campaigns/:id/resend', {
    summary: 'Create a campaign for those who did not open this one',
    scope: 'campaigns:write',
    body: ResendCampaign,
    mayBeEmpty: true,
    reply: Campaign,
    success: 'created',
    missing: campaignNotFound,
    errors: [campaignNotResendable, campaignOpensUntracked],
  })
  resend({ caller, params, body }: RouteRequest<ResendCampaign>): Promise<Campaign> {
    return this.bus.call(campaigns.resend, caller, { ...body, id: params['id']! });
  }

  @Post('campaigns/:id/test', {
    summary: 'Send a campaign to one member of the project as a test',
    scope: 'emails:test',
    body: TestCampaign,
    reply: CampaignTest,
    success: 'accepted',
    missing: campaignNotFound,
    errors: [campaignTestToStranger, senderNotVerified],
  })
  test({ caller, params, body }: RouteRequest<TestCampaign>): Promise<CampaignTest> {
    return this.tests.send(caller, params['id']!, body);
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
