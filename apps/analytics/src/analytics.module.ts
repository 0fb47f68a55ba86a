import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { DailyCounts } from './daily-counts/daily-counts.repository.js';
import { DailyCountsSubscribers } from './daily-counts/daily-counts.subscribers.js';
import { ReportsHandlers } from './reports/reports.handlers.js';
import { ReportsService } from './reports/reports.service.js';
import { ErasuresHandlers } from './erasures/erasures.handlers.js';

@Module({
  controllers: [DailyCountsSubscribers, ReportsHandlers, ErasuresHandlers],
  providers: [...onDatabase([DailyCounts]), ReportsService],
})
export class AnalyticsModule {}
