import { Module } from '@nestjs/common';
import { onDatabase, IdempotencyKeys } from '@posthorn/database';
import { ActivityModule } from './activity/activity.module.js';
import { FoldCounts } from './counts/fold-counts.js';
import { ErasuresModule } from './erasures/erasures.module.js';
import { ImportsModule } from './imports/imports.module.js';
import { ListsModule } from './lists/lists.module.js';
import { SegmentsModule } from './segments/segments.module.js';
import { TopicsModule } from './topics/topics.module.js';
import { LookupsRepository } from './lookups/lookups.repository.js';
import { CountRebuilds } from './rebuilds/count-rebuilds.repository.js';
import { EventSummaryRebuilds } from './rebuilds/event-summary-rebuilds.repository.js';
import { MailSummaryRebuilds } from './rebuilds/mail-summary-rebuilds.repository.js';
import { RebuildPositions } from './rebuilds/rebuild-positions.repository.js';
import { RebuildsService } from './rebuilds/rebuilds.service.js';
import { AudienceMembers } from './audiences/audience-members.read-model.js';
import { AudiencesService } from './audiences/audiences.service.js';
import { TombstonesModule } from './erasures/tombstones.module.js';
import { ContactCounts } from './contacts/contact-counts.read-model.js';
import { ContactsService } from './contacts/contacts.service.js';
import { RecipientsService } from './contacts/recipients.service.js';
import { BulkContactsService } from './contacts/writes/bulk-contacts.service.js';
import { ContactWritesModule } from './contacts/writes/contact-writes.module.js';
import { DeleteContactsService } from './contacts/writes/delete-contacts.js';
import { EnsureContactsService } from './contacts/writes/ensure-contacts.js';
import { EarlyMailEvents, MailSummariesSubscribers } from './events/mail-summaries.subscribers.js';
import { EventCounts } from './events/event-counts.read-model.js';
import { EventsRepository } from './events/events.repository.js';
import { EventsService } from './events/events.service.js';
import { MailSummaries } from './events/mail-summaries.read-model.js';
import { RecordEvents } from './events/record-events.js';
import { TracksRepository } from './events/tracks.repository.js';

@Module({
  imports: [
    ActivityModule,
    ListsModule,
    SegmentsModule,
    ImportsModule,
    ErasuresModule,
    ContactWritesModule,
    TombstonesModule,
    TopicsModule,
  ],
  providers: [
    FoldCounts,
    ...onDatabase([
      LookupsRepository,
      RebuildPositions,
      CountRebuilds,
      EventSummaryRebuilds,
      MailSummaryRebuilds,
      AudienceMembers,
      ContactCounts,
      EventsRepository,
      TracksRepository,
      EventCounts,
      MailSummaries,
      IdempotencyKeys,
    ]),
    RebuildsService,
    AudiencesService,
    ContactsService,
    BulkContactsService,
    DeleteContactsService,
    EnsureContactsService,
    RecipientsService,
    EarlyMailEvents,
    EventsService,
    RecordEvents,
    MailSummariesSubscribers,
  ],
})
export class ContactsServiceModule {}
