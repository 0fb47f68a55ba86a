import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { SegmentsModule } from '../segments.module.js';
import { SegmentRefreshesWork } from './segment-refreshes.work.js';
import { SegmentUpkeep } from './segment-upkeep.js';
import { SegmentUpkeepWork } from './segment-upkeep.work.js';
import { Subjects } from './subjects.read-model.js';
import { UpkeepRepository } from './upkeep.repository.js';

@Module({
  imports: [SegmentsModule],
  providers: [
    ...onDatabase([UpkeepRepository, Subjects]),
    SegmentUpkeep,
    SegmentUpkeepWork,
    SegmentRefreshesWork,
  ],
})
export class SegmentUpkeepModule {}
