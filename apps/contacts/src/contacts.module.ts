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
import { FoldSegmentCounts } from './segments/fold-segment-counts.js';
import { MembershipFacts } from './segments/membership-facts.js';
import { SegmentBaselines } from './segments/segment-baselines.repository.js';
import { SegmentConditions } from './segments/segment-conditions.js';
import { SegmentCounts } from './segments/segment-counts.read-model.js';
import { SegmentDirtyRepository } from './segments/segment-dirty.repository.js';
import { SegmentEdgesRepository } from './segments/segment-edges.repository.js';
import { SegmentMembersRepository } from './segments/segment-members.repository.js';
import { SegmentMembersService } from './segments/segment-members.service.js';
import { SegmentPreviews } from './segments/segment-previews.read-model.js';
import { SegmentPreviewsService } from './segments/segment-previews.service.js';
import { SegmentsHandlers } from './segments/segments.handlers.js';
import { SegmentsRepository } from './segments/segments.repository.js';
import { SegmentsService } from './segments/segments.service.js';
import { ScheduledSegments } from './segments/upkeep/scheduled-segments.js';
import { SegmentUpkeep } from './segments/upkeep/segment-upkeep.js';
import { Subjects } from './segments/upkeep/subjects.read-model.js';
import { UpkeepLoops } from './segments/upkeep/upkeep-loops.js';
import { UpkeepRepository } from './segments/upkeep/upkeep.repository.js';

/** Repositories and read models need nothing but the database. */
const onDatabase = (room: Type): Provider => ({
  provide: room,
  useFactory: (database: Database) => new room(database) as object,
  inject: [Database],
});

const segmentRooms = [
  SegmentsRepository,
  SegmentEdgesRepository,
  SegmentDirtyRepository,
  SegmentBaselines,
  SegmentCounts,
  SegmentMembersRepository,
  SegmentPreviews,
  UpkeepRepository,
  Subjects,
];

@Module({
  controllers: [ContactsHandlers, ContactsSubscribers, SegmentsHandlers],
  providers: [
    ...[ContactsRepository, ContactCounts, ...segmentRooms].map(onDatabase),
    Commits,
    NewContacts,
    OptOuts,
    ContactsService,
    EnsureContactsService,
    FoldContactCounts,
    SegmentsService,
    SegmentConditions,
    SegmentMembersService,
    SegmentPreviewsService,
    MembershipFacts,
    FoldSegmentCounts,
    SegmentUpkeep,
    ScheduledSegments,
    UpkeepLoops,
  ],
})
export class ContactsModule {}
