import { Controller } from '@nestjs/common';
import {
  campaigns,
  segmentUses,
  templateUses,
  type AskSegmentUses,
  type SegmentUses,
  type Campaign,
  type CampaignId,
  type CampaignPage,
  type CampaignSender,
  type CampaignSenderUse,
  type CreateCampaignOnce,
  type DeletedCampaign,
  type ListCampaigns,
  type TemplateId,
  type TemplateUse,
  type UpdateCampaignById,
} from '@posthorn/contracts';
import { Answers, type Incoming } from '@posthorn/messaging';
import { CampaignsService } from './campaigns.service.js';

@Controller()
export class CampaignsHandlers {
  constructor(private readonly service: CampaignsService) {}

  @Answers(campaigns.create)
  create(call: Incoming<CreateCampaignOnce>): Promise<Campaign> {
    return this.service.create(call);
  }

  @Answers(campaigns.get)
  get({ caller, body }: Incoming<CampaignId>): Promise<Campaign> {
    return this.service.get(caller.projectId, body.id);
  }

  @Answers(campaigns.list)
  list({ caller, body }: Incoming<ListCampaigns>): Promise<CampaignPage> {
    return this.service.list(caller.projectId, body);
  }

  @Answers(campaigns.update)
  update(call: Incoming<UpdateCampaignById>): Promise<Campaign> {
    return this.service.update(call);
  }

  @Answers(campaigns.delete)
  delete(call: Incoming<CampaignId>): Promise<DeletedCampaign> {
    return this.service.delete(call);
  }

  @Answers(campaigns.clone)
  clone(call: Incoming<CampaignId>): Promise<Campaign> {
    return this.service.clone(call);
  }

  @Answers(campaigns.sendsFrom)
  async sendsFrom({ caller, body }: Incoming<CampaignSender>): Promise<CampaignSenderUse> {
    return { inUse: await this.service.sendsFrom(caller.projectId, body.domain) };
  }

  @Answers(segmentUses.campaigns)
  async usesSegment({ caller, body }: Incoming<AskSegmentUses>): Promise<SegmentUses> {
    return { names: await this.service.unsentTo(caller.projectId, body.id) };
  }

  @Answers(templateUses.campaigns)
  async usesTemplate({ caller, body }: Incoming<TemplateId>): Promise<TemplateUse> {
    return { used: await this.service.usesTemplate(caller.projectId, body.id) };
  }
}
