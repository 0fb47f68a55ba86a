import { Module } from '@nestjs/common';
import { AudiencesModule } from '../audiences/audiences.module.js';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import { DryRunsService } from './dry-runs.service.js';

@Module({
  imports: [AudiencesModule, CampaignsModule],
  providers: [DryRunsService],
})
export class DryRunsModule {}
