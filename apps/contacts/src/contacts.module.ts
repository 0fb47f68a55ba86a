import { Module, type Provider, type Type } from '@nestjs/common';
import { Database, IdempotencyKeys } from '@posthorn/database';
import { AddressHashes, Commits, Resealing, Secrets } from '@posthorn/platform';
import { WorkQueue } from '@posthorn/work';
import { ActivityHandlers } from './activity/activity.handlers.js';
import { ActivityReadModel } from './activity/activity.read-model.js';
import { ActivityService } from './activity/activity.service.js';
import { ContactHistoryRepository } from './activity/contact-history.repository.js';
import { PersonDataReadModel } from './activity/person-data.read-model.js';
import { PersonDataService } from './activity/person-data.service.js';
import { ConsentsHandlers } from './consents/consents.handlers.js';
import { ConsentsRepository } from './consents/consents.repository.js';
import { ConsentsService } from './consents/consents.service.js';
import { BulkContactsService } from './contacts/writes/bulk-contacts.service.js';
import { ContactCounts } from './contacts/contact-counts.read-model.js';
import { ContactWritesRepository } from './contacts/writes/contact-writes.repository.js';
import { ContactWrites } from './contacts/writes/contact-writes.js';
import { ContactsHandlers } from './contacts/contacts.handlers.js';
import { ContactsRepository } from './contacts/contacts.repository.js';
import { ContactsService } from './contacts/contacts.service.js';
import { ContactsSubscribers } from './contacts/contacts.subscribers.js';
import { DeleteContactsService } from './contacts/writes/delete-contacts.js';
import { EnsureContactsService } from './contacts/writes/ensure-contacts.js';
import { GatheredWrites } from './contacts/writes/gathered-writes.js';
import { OptOuts } from './contacts/opt-outs.js';
import { ErasedContacts } from './erasures/erased-contacts.js';
import { ErasedRowsRepository } from './erasures/erased-rows.repository.js';
import { ErasuresHandlers } from './erasures/erasures.handlers.js';
import { ErasuresRepository } from './erasures/erasures.repository.js';
import { ErasuresService } from './erasures/erasures.service.js';
import { ErasuresWork } from './erasures/erasures.work.js';
import { OwnErasure } from './erasures/own-erasure.js';
import { PendingErasures } from './erasures/pending-erasures.js';
import { sealedTables } from './erasures/sealed-tables.js';
import { ReportedContacts } from './erasures/reported-contacts.js';
import { Tombstones } from './erasures/tombstones.js';
import { TombstonesRepository } from './erasures/tombstones.repository.js';
import { ImportBatches } from './imports/import-batches.js';
import { ImportErrorsRepository } from './imports/import-errors.repository.js';
import { ImportPiecesRepository } from './imports/import-pieces.repository.js';
import { ImportReading } from './imports/import-reading.js';
import { ImportPurgesWork } from './imports/import-purges.work.js';
import { ImportsWork } from './imports/imports.work.js';
import { ImportedMembers } from './imports/imported-members.js';
import { ImportsHandlers } from './imports/imports.handlers.js';
import { ImportsRepository } from './imports/imports.repository.js';
import { ImportsService } from './imports/imports.service.js';
import { ConfirmationTemplates } from './lists/confirmation-templates.js';
import { DeletedLists } from './lists/deleted-lists.js';
import { ListCounts } from './lists/list-counts.read-model.js';
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
import { SegmentDeletionService } from './segments/segment-deletion.service.js';
import { SegmentDirtyRepository } from './segments/segment-dirty.repository.js';
import { FoldCounts } from './counts/fold-counts.js';
import { EventCounts } from './events/event-counts.read-model.js';
import { EventsHandlers } from './events/events.handlers.js';
import { EventsRepository } from './events/events.repository.js';
import { EventsService } from './events/events.service.js';
import { MailSummaries } from './events/mail-summaries.read-model.js';
import { MailSummariesSubscribers } from './events/mail-summaries.subscribers.js';
import { RecordEvents } from './events/record-events.js';
import { TracksRepository } from './events/tracks.repository.js';
import { CountRebuilds } from './rebuilds/count-rebuilds.repository.js';
import { EventSummaryRebuilds } from './rebuilds/event-summary-rebuilds.repository.js';
import { MailSummaryRebuilds } from './rebuilds/mail-summary-rebuilds.repository.js';
import { RebuildPositions } from './rebuilds/rebuild-positions.repository.js';
import { RebuildsHandlers } from './rebuilds/rebuilds.handlers.js';
import { RebuildsService } from './rebuilds/rebuilds.service.js';
import { MembershipEvents } from './segments/membership-events.js';
import { SegmentBaselines } from './segments/segment-baselines.repository.js';
import { SegmentConditions } from './segments/segment-conditions.js';
import { SegmentCounts } from './segments/segment-counts.read-model.js';
import { SegmentEdgesRepository } from './segments/segment-edges.repository.js';
import { SegmentMembersRepository } from './segments/segment-members.repository.js';
import { SegmentMembersService } from './segments/segment-members.service.js';
import { SegmentPreviews } from './segments/segment-previews.read-model.js';
import { SegmentPreviewsService } from './segments/segment-previews.service.js';
import { SegmentsHandlers } from './segments/segments.handlers.js';
import { SegmentsRepository } from './segments/segments.repository.js';
import { SegmentsService } from './segments/segments.service.js';
import { SegmentRefreshesWork } from './segments/upkeep/segment-refreshes.work.js';
import { SegmentUpkeepWork } from './segments/upkeep/segment-upkeep.work.js';
import { SegmentUpkeep } from './segments/upkeep/segment-upkeep.js';
import { Subjects } from './segments/upkeep/subjects.read-model.js';
import { UpkeepRepository } from './segments/upkeep/upkeep.repository.js';

/** Repositories and read models need the database, and some the queue of what is to be done with their rows. */
const onDatabase = (repository: Type): Provider => ({
  provide: repository,
  useFactory: (database: Database, queue: WorkQueue) => new repository(database, queue) as object,
  inject: [Database, WorkQueue],
});

/** What lies sealed in the database of contacts, and what is hashed with some of it. */
const secretProviders: Provider[] = [
  {
    provide: Resealing,
    useFactory: (database: Database, secrets: Secrets) => new Resealing(database, secrets, sealedTables),
    inject: [Database, Secrets],
  },
  {
    provide: AddressHashes,
    useFactory: (database: Database, secrets: Secrets) => AddressHashes.open(database, secrets),
    inject: [Database, Secrets],
  },
];

const segmentProviders = [
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
  controllers: [
    ContactsHandlers,
    ContactsSubscribers,
    ConsentsHandlers,
    ActivityHandlers,
    EventsHandlers,
    MailSummariesSubscribers,
    ListsHandlers,
    MembershipsHandlers,
    SegmentsHandlers,
    ImportsHandlers,
    RebuildsHandlers,
    ErasuresHandlers,
  ],
  providers: [
    ...[ContactsRepository, ContactCounts, ContactWritesRepository, ConsentsRepository].map(onDatabase),
    ...[EventsRepository, TracksRepository, EventCounts, MailSummaries, IdempotencyKeys].map(onDatabase),
    ...[ListsRepository, MembershipsRepository, ListCounts, Members].map(onDatabase),
    ...segmentProviders.map(onDatabase),
    ...[ActivityReadModel, ContactHistoryRepository, PersonDataReadModel].map(onDatabase),
    ...[ImportsRepository, ImportPiecesRepository, ImportErrorsRepository].map(onDatabase),
    ...[RebuildPositions, CountRebuilds, EventSummaryRebuilds, MailSummaryRebuilds].map(onDatabase),
    RebuildsService,
    ...[ErasuresRepository, ErasedRowsRepository, TombstonesRepository].map(onDatabase),
    ...secretProviders,
    Commits,
    ContactWrites,
    GatheredWrites,
    BulkContactsService,
    ConsentsService,
    ActivityService,
    PersonDataService,
    OptOuts,
    ContactsService,
    DeleteContactsService,
    EnsureContactsService,
    ConfirmationTemplates,
    DeletedLists,
    ListsService,
    MembersService,
    MembershipTokens,
    MembershipWrites,
    MembershipsService,
    SubscriberContacts,
    EventsService,
    RecordEvents,
    FoldCounts,
    SegmentsService,
    SegmentDeletionService,
    SegmentConditions,
    SegmentMembersService,
    SegmentPreviewsService,
    MembershipEvents,
    SegmentUpkeep,
    SegmentRefreshesWork,
    SegmentUpkeepWork,
    ImportBatches,
    ImportReading,
    ImportsWork,
    ImportPurgesWork,
    ImportedMembers,
    ImportsService,
    ErasedContacts,
    ErasuresWork,
    ErasuresService,
    OwnErasure,
    PendingErasures,
    ReportedContacts,
    Tombstones,
  ],
})
export class ContactsModule {}
