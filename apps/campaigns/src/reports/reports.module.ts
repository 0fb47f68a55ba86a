import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { CampaignReportsHandlers } from './campaign-reports.handlers.js';
import { CampaignReports } from './campaign-reports.read-model.js';

@Module({
  controllers: [CampaignReportsHandlers],
  providers: [...onDatabase([CampaignReports])],
})
export class ReportsModule {}
