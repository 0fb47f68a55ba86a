import { Module } from '@nestjs/common';
import { PipelineModule } from '../pipeline/pipeline.module.js';
import { EmailsModule } from '../emails/emails.module.js';
import { MembershipModule } from '../members/membership.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { ArchiveEndpoint } from './archive-endpoint.js';
import { CampaignArchivesController } from './campaign-archives.controller.js';
import { CampaignTestsService } from './campaign-tests.service.js';
import { CampaignProgresses } from './campaign-progresses.js';
import { CampaignRecipientsController } from './campaign-recipients.controller.js';
import { CampaignsController } from './campaigns.controller.js';

@Module({
  imports: [PipelineModule, EmailsModule, MembershipModule, ProjectsModule],
  providers: [ArchiveEndpoint, CampaignProgresses, CampaignTestsService],
  controllers: [CampaignsController, CampaignArchivesController, CampaignRecipientsController],
})
export class CampaignsModule {}
