import { Module } from '@nestjs/common';
import { ArchivesModule } from './archives/archives.module.js';
import { CampaignsModule } from './campaigns/campaigns.module.js';
import { DryRunsModule } from './dry-runs/dry-runs.module.js';
import { ErasuresModule } from './erasures/erasures.module.js';
import { LaunchingModule } from './launching/launching.module.js';
import { RecipientsModule } from './recipients/recipients.module.js';
import { ReportsModule } from './reports/reports.module.js';
import { VariantsModule } from './variants/variants.module.js';
import { ResendsModule } from './resends/resends.module.js';
import { ResultsModule } from './results/results.module.js';

@Module({
  imports: [
    ArchivesModule,
    CampaignsModule,
    LaunchingModule,
    RecipientsModule,
    ResendsModule,
    ResultsModule,
    VariantsModule,
    ReportsModule,
    DryRunsModule,
    ErasuresModule,
  ],
})
export class CampaignsServiceModule {}
