import { Module, type Provider, type Type } from '@nestjs/common';
import { Database, IdempotencyKeys } from '@posthorn/database';
import { Commits } from '@posthorn/platform';
import { ConsentsHandlers } from './consents/consents.handlers.js';
import { ConsentsRepository } from './consents/consents.repository.js';
import { ConsentsService } from './consents/consents.service.js';
import { BulkContactsService } from './contacts/bulk-contacts.service.js';
import { ContactCounts } from './contacts/contact-counts.read-model.js';
import { ContactWritesRepository } from './contacts/contact-writes.repository.js';
import { ContactWrites } from './contacts/contact-writes.js';
import { ContactsHandlers } from './contacts/contacts.handlers.js';
import { ContactsRepository } from './contacts/contacts.repository.js';
import { ContactsService } from './contacts/contacts.service.js';
import { ContactsSubscribers } from './contacts/contacts.subscribers.js';
import { EnsureContactsService } from './contacts/ensure-contacts.js';
import { GatheredWrites } from './contacts/gathered-writes.js';
import { OptOuts } from './contacts/opt-outs.js';
import { FoldCounts } from './counts/fold-counts.js';
import { EventCounts } from './events/event-counts.read-model.js';
import { EventsHandlers } from './events/events.handlers.js';
import { EventsRepository } from './events/events.repository.js';
import { EventsService } from './events/events.service.js';
import { MailSummaries } from './events/mail-summaries.read-model.js';
import { MailSummariesSubscribers } from './events/mail-summaries.subscribers.js';
import { RecordEvents } from './events/record-events.js';

/** Repositories and read models need nothing but the database. */
const onDatabase = (room: Type): Provider => ({
  provide: room,
  useFactory: (database: Database) => new room(database) as object,
  inject: [Database],
});

@Module({
  controllers: [ContactsHandlers, ContactsSubscribers, ConsentsHandlers, EventsHandlers, MailSummariesSubscribers],
  providers: [
    ...[
      ContactsRepository,
      ContactCounts,
      ContactWritesRepository,
      ConsentsRepository,
      EventsRepository,
      EventCounts,
      MailSummaries,
      IdempotencyKeys,
    ].map(onDatabase),
    Commits,
    ContactWrites,
    GatheredWrites,
    BulkContactsService,
    ConsentsService,
    OptOuts,
    ContactsService,
    EnsureContactsService,
    EventsService,
    RecordEvents,
    FoldCounts,
  ],
})
export class ContactsModule {}
