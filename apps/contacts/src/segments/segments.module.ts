import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { WorkQueue } from '@posthorn/work';
import { ActivityModule } from '../activity/activity.module.js';
import { ContactWritesModule } from '../contacts/writes/contact-writes.module.js';
import { MembershipEvents } from './members/membership-events.js';
import { SegmentBaselines } from './segment-baselines.repository.js';
import { SegmentChanges } from './segment-changes.js';
import { SegmentConditions } from './segment-conditions.js';
import { SegmentCounts } from './segment-counts.read-model.js';
import { SegmentDeletionService } from './segment-deletion.service.js';
import { SegmentDirtyRepository } from './segment-dirty.repository.js';
import { SegmentEdgesRepository } from './segment-edges.repository.js';
import { SegmentMembersRepository } from './members/segment-members.repository.js';
import { SegmentMembersService } from './members/segment-members.service.js';
import { SegmentPreviews } from './segment-previews.read-model.js';
import { SegmentPreviewsService } from './segment-previews.service.js';
import { SegmentsRepository } from './segments.repository.js';
import { SegmentsService } from './segments.service.js';
import { SegmentRefreshesWork } from './upkeep/segment-refreshes.work.js';
import { SegmentUpkeep } from './upkeep/segment-upkeep.js';
import { SegmentUpkeepWork } from './upkeep/segment-upkeep.work.js';
import { Subjects } from './upkeep/subjects.read-model.js';
import { UpkeepRepository } from './upkeep/upkeep.repository.js';

@Module({
  imports: [ActivityModule, ContactWritesModule],
  providers: [
    ...onDatabase([SegmentsRepository, SegmentBaselines], WorkQueue),
    ...onDatabase([
      SegmentEdgesRepository,
      SegmentDirtyRepository,
      SegmentMembersRepository,
      SegmentCounts,
      SegmentPreviews,
      UpkeepRepository,
      Subjects,
    ]),
    SegmentChanges,
    SegmentConditions,
    SegmentDeletionService,
    SegmentMembersService,
    SegmentPreviewsService,
    SegmentsService,
    MembershipEvents,
    SegmentUpkeep,
    SegmentUpkeepWork,
    SegmentRefreshesWork,
  ],
  exports: [
    MembershipEvents,
    SegmentConditions,
    SegmentDirtyRepository,
    SegmentMembersRepository,
    SegmentsRepository,
  ],
})
export class SegmentsModule {}
