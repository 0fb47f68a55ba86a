import { Injectable } from '@nestjs/common';
import { GatewayConfig } from '../config.js';
import { within } from '../wire/deadline.js';
import { unknownRoute } from '../wire/errors.js';
import { ProjectsRepository } from '../projects/projects.repository.js';

export interface Sender {
  name: string | null;
  language: string;
}

export const unknownSender: Sender = { name: null, language: 'en' };

@Injectable()
export class Senders {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly config: GatewayConfig,
  ) {}

  /** If the database is unavailable, the page is still shown, in English and without a name. */
  async of(projectId: string): Promise<Sender> {
    const project = await within(this.config.databaseWaitMs, this.projects.find(projectId)).catch(
      () => unknownSender,
    );
    if (!project) throw unknownRoute();
    return project;
  }
}
