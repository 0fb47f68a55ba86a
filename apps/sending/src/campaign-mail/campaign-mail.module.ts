import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { DeliveryWakeUpModule } from '../delivery/delivery-wake-up.module.js';
import { DomainsModule } from '../domains/domains.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { TemplatesModule } from '../templates/templates.module.js';
import { CampaignMailHandlers } from './campaign-mail.handlers.js';
import { CampaignMailRepository } from './campaign-mail.repository.js';
import { CampaignMailService } from './campaign-mail.service.js';
import { CampaignPreparation } from './campaign-preparation.js';
import { CampaignStates } from './campaign-states.repository.js';

@Module({
  imports: [DeliveryWakeUpModule, DomainsModule, ProjectsModule, TemplatesModule],
  controllers: [CampaignMailHandlers],
  providers: [
    ...onDatabase([CampaignMailRepository, CampaignStates]),
    CampaignMailService,
    CampaignPreparation,
  ],
})
export class CampaignMailModule {}
