import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { DailyCounts } from './daily-counts/daily-counts.repository.js';
import { DailyCountsSubscribers } from './daily-counts/daily-counts.subscribers.js';
import { ReportsService } from './reports/reports.service.js';
import { ErasuresService } from './erasures/erasures.service.js';

@Module({
  providers: [...onDatabase([DailyCounts]), DailyCountsSubscribers, ReportsService, ErasuresService],
})
export class AnalyticsModule {}
