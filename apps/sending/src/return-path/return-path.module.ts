import { Module } from '@nestjs/common';
import { ProviderEventsModule } from '../provider-events/provider-events.module.js';
import { MailReports } from './mail-reports.service.js';
import { ReportThreads } from './report-threads.js';
import { ReturnPathServer } from './return-path-server.js';

@Module({ imports: [ProviderEventsModule], providers: [MailReports, ReportThreads, ReturnPathServer] })
export class ReturnPathModule {}
