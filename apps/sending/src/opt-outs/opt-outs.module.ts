import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { ErasedAddressHasher } from '../erasures/erased-names.js';
import { ErasuresModule } from '../erasures/erasures.module.js';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { OptOutsRepository } from './opt-outs.repository.js';
import { OptOutsService } from './opt-outs.service.js';
import { OptOutsSubscribers } from './opt-outs.subscribers.js';

@Module({
  imports: [ErasuresModule, SuppressionsModule],
  providers: [...onDatabase([OptOutsRepository], ErasedAddressHasher), OptOutsService, OptOutsSubscribers],
  exports: [OptOutsRepository],
})
export class OptOutsModule {}
