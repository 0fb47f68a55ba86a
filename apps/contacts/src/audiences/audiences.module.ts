import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { SegmentsModule } from '../segments/segments.module.js';
import { AudienceMembers } from './audience-members.read-model.js';
import { AudiencesService } from './audiences.service.js';

@Module({
  imports: [SegmentsModule],
  providers: [...onDatabase([AudienceMembers]), AudiencesService],
})
export class AudiencesModule {}
