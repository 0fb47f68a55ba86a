import { Module, type Provider, type Type } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { Commits } from '@posthorn/platform';
import { ContactCounts } from './contacts/contact-counts.read-model.js';
import { ContactsHandlers } from './contacts/contacts.handlers.js';
import { ContactsRepository } from './contacts/contacts.repository.js';
import { ContactsService } from './contacts/contacts.service.js';
import { ContactsSubscribers } from './contacts/contacts.subscribers.js';
import { DeleteContactsService } from './contacts/delete-contacts.js';
import { EnsureContactsService } from './contacts/ensure-contacts.js';
import { FoldContactCounts } from './contacts/fold-contact-counts.js';
import { NewContacts } from './contacts/new-contacts.js';
import { OptOuts } from './contacts/opt-outs.js';
import { ConfirmationTemplates } from './lists/confirmation-templates.js';
import { DeletedLists } from './lists/deleted-lists.js';
import { DeletedListsRepository } from './lists/deleted-lists.repository.js';
import { ListCounts } from './lists/list-counts.read-model.js';
import { FoldListCounts, PurgeDeletedLists } from './lists/list-upkeep.js';
import { ListsHandlers } from './lists/lists.handlers.js';
import { ListsRepository } from './lists/lists.repository.js';
import { ListsService } from './lists/lists.service.js';
import { Members } from './lists/members.read-model.js';
import { MembersService } from './lists/members.service.js';
import { MembershipsHandlers } from './lists/memberships.handlers.js';
import { MembershipsRepository } from './lists/memberships.repository.js';
import { MembershipsService } from './lists/memberships.service.js';
import { MembershipTokens } from './lists/membership-tokens.js';
import { MembershipWrites } from './lists/membership-writes.js';
import { SubscriberContacts } from './lists/subscriber-contacts.js';
import { SegmentDirtyRepository } from './segments/segment-dirty.repository.js';

/** Repositories and read models need nothing but the database. */
const onDatabase = (room: Type): Provider => ({
  provide: room,
  useFactory: (database: Database) => new room(database) as object,
  inject: [Database],
});

@Module({
  controllers: [ContactsHandlers, ContactsSubscribers, ListsHandlers, MembershipsHandlers],
  providers: [
    ...[ContactsRepository, ContactCounts, ListsRepository, DeletedListsRepository, MembershipsRepository].map(onDatabase),
    ...[ListCounts, Members, SegmentDirtyRepository].map(onDatabase),
    Commits,
    NewContacts,
    OptOuts,
    ContactsService,
    DeleteContactsService,
    EnsureContactsService,
    FoldContactCounts,
    ConfirmationTemplates,
    DeletedLists,
    ListsService,
    MembersService,
    MembershipTokens,
    MembershipWrites,
    MembershipsService,
    SubscriberContacts,
    FoldListCounts,
    PurgeDeletedLists,
  ],
})
export class ContactsModule {}
