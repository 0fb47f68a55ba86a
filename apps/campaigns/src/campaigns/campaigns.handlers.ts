import { Controller } from '@nestjs/common';
import {
  campaigns,
  listUses,
  segmentUses,
  templateUses,
  type GetSegmentUses,
  type SegmentUses,
  type Campaign,
  type CampaignId,
  type CampaignPage,
  type CampaignSender,
  type CampaignSenderUse,
  type CreateCampaignOnce,
  type DeletedCampaign,
  type ListCampaigns,
  type ListId,
  type ListUses,
  type TemplateId,
  type TemplateUse,
  type UpdateCampaignById,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { CampaignsService } from './campaigns.service.js';

@Controller()
export class CampaignsHandlers {
  constructor(private readonly service: CampaignsService) {}

  @Handles(campaigns.create)
  create(call: Incoming<CreateCampaignOnce>): Promise<Campaign> {
    return this.service.create(call);
  }

  @Handles(campaigns.get)
  get({ caller, body }: Incoming<CampaignId>): Promise<Campaign> {
    return this.service.get(caller.projectId, body.id);
  }

  @Handles(campaigns.list)
  list({ caller, body }: Incoming<ListCampaigns>): Promise<CampaignPage> {
    return this.service.list(caller.projectId, body);
  }

  @Handles(campaigns.update)
  update(call: Incoming<UpdateCampaignById>): Promise<Campaign> {
    return this.service.update(call);
  }

  @Handles(campaigns.delete)
  delete(call: Incoming<CampaignId>): Promise<DeletedCampaign> {
    return this.service.delete(call);
  }

  @Handles(campaigns.clone)
  clone(call: Incoming<CampaignId>): Promise<Campaign> {
    return this.service.clone(call);
  }

  @Handles(campaigns.sendsFrom)
  async sendsFrom({ caller, body }: Incoming<CampaignSender>): Promise<CampaignSenderUse> {
    return { inUse: await this.service.sendsFrom(caller.projectId, body.domain) };
  }

  @Handles(segmentUses.campaigns)
  async usesSegment({ caller, body }: Incoming<GetSegmentUses>): Promise<SegmentUses> {
    return { names: await this.service.unsentTo(caller.projectId, body.id) };
  }

  @Handles(listUses.campaigns)
  async usesList({ caller, body }: Incoming<ListId>): Promise<ListUses> {
    return { names: await this.service.unsentToList(caller.projectId, body.id) };
  }

  @Handles(templateUses.campaigns)
  async usesTemplate({ caller, body }: Incoming<TemplateId>): Promise<TemplateUse> {
    return { used: await this.service.usesTemplate(caller.projectId, body.id) };
  }
}
