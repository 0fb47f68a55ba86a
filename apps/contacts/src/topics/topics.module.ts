import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { ContactWritesModule } from '../contacts/writes/contact-writes.module.js';
import { TopicChoicesRepository } from './topic-choices.repository.js';
import { TopicChoices, TopicChoicesService } from './topic-choices.service.js';
import { TopicsRepository } from './topics.repository.js';
import { TopicsService } from './topics.service.js';

@Module({
  imports: [ContactWritesModule],
  providers: [
    ...onDatabase([TopicsRepository, TopicChoicesRepository]),
    TopicChoices,
    TopicChoicesService,
    TopicsService,
  ],
  exports: [TopicChoices, TopicChoicesRepository, TopicsRepository],
})
export class TopicsModule {}
