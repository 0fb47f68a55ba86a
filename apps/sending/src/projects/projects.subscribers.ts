import { Controller } from '@nestjs/common';
import { projectFacts, type ProjectFact } from '@posthorn/contracts';
import { Hears, type Fact } from '@posthorn/messaging';
import { DeliveryBell } from '../delivery/delivery-bell.js';
import { ProjectStates } from './project-states.read-model.js';

@Controller()
export class ProjectsSubscribers {
  constructor(
    private readonly states: ProjectStates,
    private readonly bell: DeliveryBell,
  ) {}

  @Hears(projectFacts.changed, 'project-states')
  async onChanged(fact: Fact<ProjectFact>): Promise<void> {
    await this.states.put(fact.items);
    this.bell.ring();
  }
}
