import { Module } from '@nestjs/common';
import { ActivityModule } from './activity/activity.module.js';
import { AudiencesModule } from './audiences/audiences.module.js';
import { ConsentsModule } from './consents/consents.module.js';
import { ContactsModule } from './contacts/contacts.module.js';
import { FoldCounts } from './counts/fold-counts.js';
import { ErasuresModule } from './erasures/erasures.module.js';
import { EventsModule } from './events/events.module.js';
import { ImportsModule } from './imports/imports.module.js';
import { ListsModule } from './lists/lists.module.js';
import { LookupsModule } from './lookups/lookups.module.js';
import { RebuildsModule } from './rebuilds/rebuilds.module.js';
import { SegmentsModule } from './segments/segments.module.js';
import { SegmentUpkeepModule } from './segments/upkeep/segment-upkeep.module.js';

@Module({
  imports: [
    ContactsModule,
    ConsentsModule,
    ActivityModule,
    EventsModule,
    ListsModule,
    LookupsModule,
    SegmentsModule,
    SegmentUpkeepModule,
    AudiencesModule,
    ImportsModule,
    RebuildsModule,
    ErasuresModule,
  ],
  providers: [FoldCounts],
})
export class ContactsServiceModule {}
