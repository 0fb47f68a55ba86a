import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { LookupsRepository } from './lookups.repository.js';

@Module({
  providers: [...onDatabase([LookupsRepository])],
})
export class LookupsModule {}
