import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { LookupsHandlers } from './lookups.handlers.js';
import { LookupsRepository } from './lookups.repository.js';

@Module({
  controllers: [LookupsHandlers],
  providers: [...onDatabase([LookupsRepository])],
})
export class LookupsModule {}
