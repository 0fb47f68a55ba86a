import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { ErasedAddressHasher } from '../erasures/erased-names.js';
import { ErasuresModule } from '../erasures/erasures.module.js';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { OptOutsHandlers } from './opt-outs.handlers.js';
import { OptOutsRepository } from './opt-outs.repository.js';
import { OptOutsService } from './opt-outs.service.js';
import { OptOutsSubscribers } from './opt-outs.subscribers.js';

@Module({
  imports: [ErasuresModule, SuppressionsModule],
  controllers: [OptOutsHandlers, OptOutsSubscribers],
  providers: [...onDatabase([OptOutsRepository], ErasedAddressHasher), OptOutsService],
  exports: [OptOutsRepository],
})
export class OptOutsModule {}
