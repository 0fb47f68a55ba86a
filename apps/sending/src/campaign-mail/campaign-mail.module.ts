import { Module } from '@nestjs/common';
import { Database, onDatabase } from '@posthorn/database';
import { DomainsModule } from '../domains/domains.module.js';
import { ErasedAddressHasher } from '../erasures/erased-names.js';
import { ErasuresModule } from '../erasures/erasures.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { TemplatesModule } from '../templates/templates.module.js';
import { ArchivedMails } from './archived-mail.js';
import { BlockedRecipients } from './blocked-recipients.read-model.js';
import { CampaignTrials } from './campaign-trials.js';
import { CampaignMailRepository } from './campaign-mail.repository.js';
import { CampaignMailService } from './campaign-mail.service.js';
import { CampaignPreparation } from './campaign-preparation.js';
import { CampaignTexts } from './campaign-texts.js';
import { CampaignStates } from './campaign-states.repository.js';
import { WorkflowMailService } from '../workflow-mail/workflow-mail.service.js';

@Module({
  imports: [ProjectsModule, DomainsModule, ErasuresModule, TemplatesModule],
  providers: [
    {
      provide: BlockedRecipients,
      useFactory: (database: Database, hasher: ErasedAddressHasher) =>
        new BlockedRecipients(database, hasher),
      inject: [Database, ErasedAddressHasher],
    },
    ArchivedMails,
    CampaignTrials,
    ...onDatabase([CampaignMailRepository, CampaignStates]),
    CampaignMailService,
    CampaignPreparation,
    CampaignTexts,
    WorkflowMailService,
  ],
  exports: [CampaignPreparation, CampaignTexts],
})
export class CampaignMailModule {}
