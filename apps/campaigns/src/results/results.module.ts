import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { ResultsRepository } from './results.repository.js';
import { ResultsSubscribers } from './results.subscribers.js';

@Module({
  providers: [...onDatabase([ResultsRepository]), ResultsSubscribers],
})
export class ResultsModule {}
