import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { ProviderEventsRepository } from './provider-events.repository.js';
import { ProviderEventsService } from './provider-events.service.js';
import { SimulatedEventsWork } from '../simulator/simulated-events.work.js';
import { Simulator } from '../simulator/simulator.js';
import { EmailsModule } from '../emails/emails.module.js';
import { EngagementService } from '../engagement/engagement.service.js';
import { EngagementsRepository } from '../engagement/engagements.repository.js';

@Module({
  imports: [EmailsModule],
  providers: [
    ...onDatabase([ProviderEventsRepository, EngagementsRepository]),
    ProviderEventsService,
    Simulator,
    SimulatedEventsWork,
    EngagementService,
  ],
  exports: [ProviderEventsService, Simulator, EngagementsRepository],
})
export class ProviderEventsModule {}
