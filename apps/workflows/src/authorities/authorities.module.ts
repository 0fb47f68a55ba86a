import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { EffectFence } from '../cancellations/effect-fence.js';
import { Admissions } from './admissions.js';
import { LendersRepository } from './lenders.repository.js';
import { LenderStandings } from './standings.js';

@Module({
  providers: [...onDatabase([LendersRepository]), Admissions, EffectFence, LenderStandings],
  exports: [Admissions, EffectFence, LendersRepository, LenderStandings],
})
export class AuthoritiesModule {}
