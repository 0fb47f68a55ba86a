import { Controller } from '@nestjs/common';
import {
  campaignArchives,
  CampaignArchiveLink,
  campaignNotFound,
  campaignNotLaunched,
  DeletedCampaign,
  type CampaignArchive,
  type Caller,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import { GatewayConfig } from '../config.js';
import type { RouteRequest } from '../routes/route-request.js';
import { Delete, Get, Post } from '../routes/route.js';
import { archivePath } from './archive-endpoint.js';

const route = { reply: CampaignArchiveLink, missing: campaignNotFound } as const;

@Controller()
export class CampaignArchivesController {
  constructor(
    private readonly bus: Bus,
    private readonly config: GatewayConfig,
  ) {}

  @Get('campaigns/:id/archive', {
    ...route,
    summary: 'Get the public link of a campaign',
    scope: 'campaigns:read',
  })
  async get({ caller, params }: RouteRequest): Promise<CampaignArchiveLink> {
    return this.linkOf(caller, await this.bus.call(campaignArchives.get, caller, { id: params['id']! }));
  }

  @Post('campaigns/:id/archive', {
    ...route,
    summary: 'Publish a campaign: anybody who has the link may read it',
    scope: 'campaigns:write',
    body: null,
    errors: [campaignNotLaunched],
  })
  async publish({ caller, params }: RouteRequest): Promise<CampaignArchiveLink> {
    return this.linkOf(caller, await this.bus.call(campaignArchives.publish, caller, { id: params['id']! }));
  }

  @Delete('campaigns/:id/archive', {
    summary: 'Withdraw a published campaign: its link is valid no longer',
    scope: 'campaigns:write',
    reply: DeletedCampaign,
    success: 'deleted',
    missing: campaignNotFound,
  })
  async withdraw({ caller, params }: RouteRequest): Promise<DeletedCampaign> {
    const { id } = await this.bus.call(campaignArchives.withdraw, caller, { id: params['id']! });
    return { id };
  }

  private linkOf({ projectId }: Caller, { id, archiveId }: CampaignArchive): CampaignArchiveLink {
    const base = this.config.publicUrl.replace(/\/+$/, '');
    return { id, url: archiveId === null ? null : `${base}${archivePath(projectId, archiveId)}` };
  }
}
