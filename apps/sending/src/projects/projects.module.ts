import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { DeliveryWakeUpModule } from '../delivery/delivery-wake-up.module.js';
import { ProjectSnapshotWork } from './project-snapshot.work.js';
import { ProjectStates } from './project-states.read-model.js';
import { ProjectsSubscribers } from './projects.subscribers.js';

@Module({
  imports: [DeliveryWakeUpModule],
  providers: [...onDatabase([ProjectStates]), ProjectSnapshotWork, ProjectsSubscribers],
  exports: [ProjectStates],
})
export class ProjectsModule {}
