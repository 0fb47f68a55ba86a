import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { DeliveryWakeUpModule } from '../delivery/delivery-wake-up.module.js';
import { AllowanceReleasesWork } from './allowance-releases.work.js';
import { UsageRepository } from './usage.repository.js';
import { UsageService } from './usage.service.js';
import { UsageWarningsWork } from './usage-warnings.work.js';

@Module({
  imports: [DeliveryWakeUpModule],
  providers: [...onDatabase([UsageRepository]), AllowanceReleasesWork, UsageService, UsageWarningsWork],
  exports: [UsageRepository],
})
export class AllowancesModule {}
