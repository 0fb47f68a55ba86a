import { Module } from '@nestjs/common';
import { CampaignMailModule } from '../campaign-mail/campaign-mail.module.js';
import { RenderingModule } from '../rendering/rendering.module.js';
import { TemplatesModule } from '../templates/templates.module.js';
import { WorkflowMailService } from './workflow-mail.service.js';

@Module({
  imports: [CampaignMailModule, RenderingModule, TemplatesModule],
  providers: [WorkflowMailService],
})
export class WorkflowMailModule {}
