import { Injectable } from '@nestjs/common';
import { projectEvents, type ProjectEvent } from '@posthorn/contracts';
import { OnEvent, ReadModels, type DomainEvent } from '@posthorn/messaging';
import { DeliveryWakeUp } from '../delivery/delivery-wake-up.js';
import { ProjectSnapshotWork } from './project-snapshot.work.js';
import { projectStatesName, ProjectStates } from './project-states.read-model.js';

@Injectable()
export class ProjectsSubscribers {
  constructor(
    private readonly states: ProjectStates,
    private readonly readModels: ReadModels,
    private readonly snapshot: ProjectSnapshotWork,
    private readonly wakeUp: DeliveryWakeUp,
  ) {}

  @OnEvent(projectEvents.changed, 'project-states')
  async onChanged({ items }: DomainEvent<ProjectEvent>): Promise<void> {
    // The event may merely have been overtaken, but a snapshot is cheap and correct in both cases.
    if (await this.states.leavesGap(items)) {
      await this.readModels.markStale(projectStatesName);
      await this.snapshot.soon();
    }
    await this.states.put(items);
    this.wakeUp.wake();
  }
}
