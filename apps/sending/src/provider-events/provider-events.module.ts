import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { EngagementModule } from '../engagement/engagement.module.js';
import { ProviderEventsRepository } from './provider-events.repository.js';
import { ProviderEventsService } from './provider-events.service.js';

@Module({
  imports: [EngagementModule],
  providers: [...onDatabase([ProviderEventsRepository]), ProviderEventsService],
  exports: [ProviderEventsService],
})
export class ProviderEventsModule {}
