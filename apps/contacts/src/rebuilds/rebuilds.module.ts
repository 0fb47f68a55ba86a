import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { CountRebuilds } from './count-rebuilds.repository.js';
import { EventSummaryRebuilds } from './event-summary-rebuilds.repository.js';
import { MailSummaryRebuilds } from './mail-summary-rebuilds.repository.js';
import { RebuildPositions } from './rebuild-positions.repository.js';
import { RebuildsService } from './rebuilds.service.js';

@Module({
  providers: [
    ...onDatabase([RebuildPositions, CountRebuilds, EventSummaryRebuilds, MailSummaryRebuilds]),
    RebuildsService,
  ],
})
export class RebuildsModule {}
