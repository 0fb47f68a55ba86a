import { Controller } from '@nestjs/common';
import { projectFacts, type ProjectFact } from '@posthorn/contracts';
import { Hears, ReadModels, type Fact } from '@posthorn/messaging';
import { DeliveryBell } from '../delivery/delivery-bell.js';
import { ProjectSnapshotWork } from './project-snapshot.work.js';
import { projectStatesName, ProjectStates } from './project-states.read-model.js';

@Controller()
export class ProjectsSubscribers {
  constructor(
    private readonly states: ProjectStates,
    private readonly readModels: ReadModels,
    private readonly snapshot: ProjectSnapshotWork,
    private readonly bell: DeliveryBell,
  ) {}

  @Hears(projectFacts.changed, 'project-states')
  async onChanged({ items }: Fact<ProjectFact>): Promise<void> {
    // A fact may only have been overtaken by another one; the snapshot is cheap, and right either way.
    if (await this.states.leavesGap(items)) {
      await this.readModels.markStale(projectStatesName);
      await this.snapshot.soon();
    }
    await this.states.put(items);
    this.bell.ring();
  }
}
