import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { ContactWritesModule } from '../contacts/writes/contact-writes.module.js';
import { ActivityReadModel } from './activity.read-model.js';
import { ActivityService } from './activity.service.js';
import { ContactHistoryRepository } from './contact-history.repository.js';
import { PersonDataReadModel } from './person-data.read-model.js';
import { PersonDataService } from './person-data.service.js';
import { ConsentsRepository } from '../consents/consents.repository.js';
import { ConsentsService } from '../consents/consents.service.js';

@Module({
  imports: [ContactWritesModule],
  providers: [
    ...onDatabase([ActivityReadModel, ContactHistoryRepository, PersonDataReadModel, ConsentsRepository]),
    ActivityService,
    PersonDataService,
    ConsentsService,
  ],
  exports: [ContactHistoryRepository, ConsentsRepository],
})
export class ActivityModule {}
