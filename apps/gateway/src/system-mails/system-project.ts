import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ProjectsService } from '../projects/projects.service.js';

/** The same in every installation, so that an operator can vouch for its sending domain. */
export const systemProjectId = '01900000-0000-7000-8000-000000000001';

/** The project that sends Posthorn's own mail: nobody is a member of it, so nobody sees it. */
@Injectable()
export class SystemProject implements OnApplicationBootstrap {
  constructor(private readonly projects: ProjectsService) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.projects.ensure(systemProjectId, 'Posthorn');
  }
}
