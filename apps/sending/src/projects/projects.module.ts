import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { ProjectSnapshotWork } from './project-snapshot.work.js';
import { ProjectStates } from './project-states.read-model.js';
import { ProjectsSubscribers } from './projects.subscribers.js';
import { DeliveryWakeUp } from '../delivery/delivery-wake-up.js';
import { AllowanceReleasesWork } from '../allowances/allowance-releases.work.js';
import { UsageRepository } from '../allowances/usage.repository.js';
import { UsageService } from '../allowances/usage.service.js';
import { UsageWarningsWork } from '../allowances/usage-warnings.work.js';

@Module({
  providers: [
    ...onDatabase([ProjectStates, UsageRepository]),
    ProjectSnapshotWork,
    ProjectsSubscribers,
    DeliveryWakeUp,
    AllowanceReleasesWork,
    UsageService,
    UsageWarningsWork,
  ],
  exports: [ProjectStates, DeliveryWakeUp, UsageRepository],
})
export class ProjectsModule {}
