import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { purgeOf } from '@posthorn/work';
import { DeliverabilityService } from './deliverability/deliverability.service.js';
import { Destinations } from './deliverability/destinations.read-model.js';
import { ErasuresService } from './erasures/erasures.service.js';
import { CountDeltas } from './mail-counts/count-deltas.repository.js';
import { CountFoldsWork } from './mail-counts/count-folds.work.js';
import { MailCountsRepository } from './mail-counts/mail-counts.repository.js';
import { MailCountsSubscribers } from './mail-counts/mail-counts.subscribers.js';
import { CountRebuilds } from './rebuilds/count-rebuilds.repository.js';
import { RebuildsService } from './rebuilds/rebuilds.service.js';
import { OldCounts } from './mail-counts/old-counts.repository.js';
import { EmailReportsService } from './reports/email-reports.service.js';
import { ReportsService } from './reports/reports.service.js';

@Module({
  providers: [
    ...onDatabase([CountDeltas, CountRebuilds, Destinations, MailCountsRepository, OldCounts]),
    CountFoldsWork,
    purgeOf('analytics.old-counts', OldCounts, (counts) => counts.deleteSome(5_000)),
    MailCountsSubscribers,
    ReportsService,
    EmailReportsService,
    DeliverabilityService,
    RebuildsService,
    ErasuresService,
  ],
})
export class AnalyticsModule {}
