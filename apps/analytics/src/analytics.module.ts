import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { DeliverabilityService } from './deliverability/deliverability.service.js';
import { Destinations } from './deliverability/destinations.read-model.js';
import { ErasuresService } from './erasures/erasures.service.js';
import { CountDeltas } from './mail-counts/count-deltas.repository.js';
import { CountFoldsWork } from './mail-counts/count-folds.work.js';
import { MailCountsRepository } from './mail-counts/mail-counts.repository.js';
import { MailCountsSubscribers } from './mail-counts/mail-counts.subscribers.js';
import { EmailReportsService } from './reports/email-reports.service.js';
import { ReportsService } from './reports/reports.service.js';

@Module({
  providers: [
    ...onDatabase([CountDeltas, MailCountsRepository, Destinations]),
    CountFoldsWork,
    MailCountsSubscribers,
    ReportsService,
    EmailReportsService,
    DeliverabilityService,
    ErasuresService,
  ],
})
export class AnalyticsModule {}
