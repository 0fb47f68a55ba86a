import { Module } from '@nestjs/common';
import { IdempotencyKeys, onDatabase } from '@posthorn/database';
import { ContactWritesModule } from '../contacts/writes/contact-writes.module.js';
import { TombstonesModule } from '../erasures/tombstones.module.js';
import { EarlyMailEvents } from './early-mail-events.work.js';
import { EventCounts } from './event-counts.read-model.js';
import { EventsRepository } from './events.repository.js';
import { EventsService } from './events.service.js';
import { MailSummaries } from './mail-summaries.read-model.js';
import { MailSummariesSubscribers } from './mail-summaries.subscribers.js';
import { RecordEvents } from './record-events.js';
import { TracksRepository } from './tracks.repository.js';

@Module({
  imports: [ContactWritesModule, TombstonesModule],
  providers: [
    ...onDatabase([EventsRepository, TracksRepository, EventCounts, MailSummaries, IdempotencyKeys]),
    EarlyMailEvents,
    EventsService,
    RecordEvents,
    MailSummariesSubscribers,
  ],
})
export class EventsModule {}
