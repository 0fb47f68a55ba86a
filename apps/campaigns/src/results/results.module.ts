import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { ResultsRepository } from './results.repository.js';
import { ResultsSubscribers } from './results.subscribers.js';

@Module({
  controllers: [ResultsSubscribers],
  providers: [...onDatabase([ResultsRepository])],
})
export class ResultsModule {}
