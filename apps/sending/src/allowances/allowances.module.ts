import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { AllowancesHandlers } from './allowances.handlers.js';
import { AllowancesRepository } from './allowances.repository.js';

@Module({
  controllers: [AllowancesHandlers],
  providers: [...onDatabase([AllowancesRepository])],
  exports: [AllowancesRepository],
})
export class AllowancesModule {}
