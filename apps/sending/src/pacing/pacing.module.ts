import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { DomainsModule } from '../domains/domains.module.js';
import { SlowDowns } from './slow-downs.js';
import { SlowDownsRepository } from './slow-downs.repository.js';

@Module({
  imports: [DomainsModule],
  providers: [...onDatabase([SlowDownsRepository]), SlowDowns],
  exports: [SlowDowns, SlowDownsRepository],
})
export class PacingModule {}
