import { Injectable } from '@nestjs/common';
import { projects, type CreateOwnedProject, type Project } from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { OperatedMembers } from '../members/operated-members.service.js';
import { ProjectsService } from './projects.service.js';

@Injectable()
export class OperatedProjects {
  constructor(
    private readonly projects: ProjectsService,
    private readonly members: OperatedMembers,
  ) {}

  /** Nothing is made where the owner cannot sign in. */
  @Handles(projects.create)
  create({ body: { name, owner } }: Incoming<CreateOwnedProject>): Promise<Project> {
    return this.projects.create(name, async (projectId) => {
      if (owner !== undefined) await this.members.putNow(projectId, owner, 'OWNER');
    });
  }
}
