import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { systemProjectId } from '@posthorn/contracts';
import { ProjectsService } from '../projects/projects.service.js';

/** The project that sends Posthorn's own mail; it has no members, so it is not visible. */
@Injectable()
export class SystemProject implements OnApplicationBootstrap {
  constructor(private readonly projects: ProjectsService) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.projects.ensure(systemProjectId, 'Posthorn');
  }
}
