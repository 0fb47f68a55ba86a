import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { ArchivesService } from './archives/archives.service.js';
import { CampaignsModule } from './campaigns/campaigns.module.js';
import { DryRunsService } from './dry-runs/dry-runs.service.js';
import { ErasuresService } from './erasures/erasures.service.js';
import { LaunchingModule } from './launching/launching.module.js';
import { RecipientsModule } from './recipients/recipients.module.js';
import { CampaignReports } from './reports/campaign-reports.read-model.js';
import { ResendsService } from './resends/resends.service.js';
import { ResultsRepository } from './results/results.repository.js';
import { ResultsSubscribers } from './results/results.subscribers.js';
import { WinnersService, WinnersWork } from './variants/winners.service.js';

@Module({
  imports: [CampaignsModule, LaunchingModule, RecipientsModule],
  providers: [
    ...onDatabase([CampaignReports, ResultsRepository]),
    ArchivesService,
    DryRunsService,
    ErasuresService,
    ResendsService,
    ResultsSubscribers,
    WinnersService,
    WinnersWork,
  ],
})
export class CampaignsServiceModule {}
