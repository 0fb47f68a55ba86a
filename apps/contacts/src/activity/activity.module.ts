import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { ConsentsModule } from '../consents/consents.module.js';
import { ContactWritesModule } from '../contacts/writes/contact-writes.module.js';
import { ActivityReadModel } from './activity.read-model.js';
import { ActivityService } from './activity.service.js';
import { ContactHistoryRepository } from './contact-history.repository.js';
import { PersonDataReadModel } from './person-data.read-model.js';
import { PersonDataService } from './person-data.service.js';

@Module({
  imports: [ContactWritesModule, ConsentsModule],
  providers: [
    ...onDatabase([ActivityReadModel, ContactHistoryRepository, PersonDataReadModel]),
    ActivityService,
    PersonDataService,
  ],
  exports: [ContactHistoryRepository],
})
export class ActivityModule {}
