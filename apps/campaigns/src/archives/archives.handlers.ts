import { Controller } from '@nestjs/common';
import {
  campaignArchives,
  type ArchivedContent,
  type ArchiveId,
  type CampaignArchive,
  type CampaignId,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { ArchivesService } from './archives.service.js';

@Controller()
export class ArchivesHandlers {
  constructor(private readonly service: ArchivesService) {}

  @Handles(campaignArchives.get)
  get({ caller, body }: Incoming<CampaignId>): Promise<CampaignArchive> {
    return this.service.get(caller.projectId, body.id);
  }

  @Handles(campaignArchives.publish)
  publish(call: Incoming<CampaignId>): Promise<CampaignArchive> {
    return this.service.publish(call);
  }

  @Handles(campaignArchives.withdraw)
  withdraw(call: Incoming<CampaignId>): Promise<CampaignArchive> {
    return this.service.withdraw(call);
  }

  @Handles(campaignArchives.contentOf)
  contentOf({ caller, body }: Incoming<ArchiveId>): Promise<ArchivedContent> {
    return this.service.contentOf(caller.projectId, body.archiveId);
  }
}
