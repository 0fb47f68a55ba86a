import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { RecipientTimes } from '../timing/recipient-times.js';
import { AudiencePages } from './audience-pages.js';
import { Unopened } from './unopened.read-model.js';

@Module({
  providers: [...onDatabase([Unopened]), AudiencePages, RecipientTimes],
  exports: [AudiencePages, Unopened],
})
export class AudiencesModule {}
