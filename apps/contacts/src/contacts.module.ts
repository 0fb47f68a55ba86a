import { Module, type Provider, type Type } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { Commits } from '@posthorn/platform';
import { ContactCounts } from './contacts/contact-counts.read-model.js';
import { ContactsHandlers } from './contacts/contacts.handlers.js';
import { ContactsRepository } from './contacts/contacts.repository.js';
import { ContactsService } from './contacts/contacts.service.js';
import { ContactsSubscribers } from './contacts/contacts.subscribers.js';
import { EnsureContactsService } from './contacts/ensure-contacts.js';
import { FoldContactCounts } from './contacts/fold-contact-counts.js';
import { NewContacts } from './contacts/new-contacts.js';
import { OptOuts } from './contacts/opt-outs.js';

/** Repositories and read models need nothing but the database. */
const onDatabase = (room: Type): Provider => ({
  provide: room,
  useFactory: (database: Database) => new room(database) as object,
  inject: [Database],
});

@Module({
  controllers: [ContactsHandlers, ContactsSubscribers],
  providers: [
    ...[ContactsRepository, ContactCounts].map(onDatabase),
    Commits,
    NewContacts,
    OptOuts,
    ContactsService,
    EnsureContactsService,
    FoldContactCounts,
  ],
})
export class ContactsModule {}
