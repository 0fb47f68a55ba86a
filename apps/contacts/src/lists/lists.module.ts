import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { ContactWritesModule } from '../contacts/writes/contact-writes.module.js';
import { SegmentsModule } from '../segments/segments.module.js';
import { TopicsModule } from '../topics/topics.module.js';
import { ConfirmationTemplates, ListsService, MembersService } from './lists.service.js';
import { DeletedLists, UsedLists } from './deleted-lists.js';
import { ListCounts } from './list-counts.read-model.js';
import { ListsRepository } from './lists.repository.js';
import { Members } from './members.read-model.js';
import { MembershipTokens, MembershipsService } from './memberships.service.js';
import { MembershipWrites } from './membership-writes.js';
import { MembershipsRepository } from './memberships.repository.js';
import { ListPreferences } from './preferences/list-preferences.js';
import { PreferencesReadModel } from './preferences/preferences.read-model.js';
import { PreferencesService } from './preferences/preferences.service.js';
import { SubscriberContacts } from './subscriber-contacts.js';

@Module({
  imports: [ContactWritesModule, SegmentsModule, TopicsModule],
  providers: [
    ...onDatabase([ListsRepository, MembershipsRepository, ListCounts, Members, PreferencesReadModel]),
    ConfirmationTemplates,
    DeletedLists,
    ListPreferences,
    ListsService,
    MembersService,
    MembershipTokens,
    MembershipWrites,
    MembershipsService,
    PreferencesService,
    SubscriberContacts,
    UsedLists,
  ],
  exports: [ListsRepository, MembershipsRepository],
})
export class ListsModule {}
