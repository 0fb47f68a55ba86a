import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { CampaignReports } from './campaign-reports.read-model.js';

@Module({
  providers: [...onDatabase([CampaignReports])],
})
export class ReportsModule {}
