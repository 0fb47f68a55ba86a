import { Injectable } from '@nestjs/common';
import { ownDatabaseMs, within } from '../edge/http/deadline.js';
import { unknownRoute } from '../edge/http/edge-errors.js';
import { ProjectsRepository } from '../projects/projects.repository.js';

/** Who wrote to somebody, as far as that can be said. */
export interface Sender {
  name: string | null;
  language: string;
}

export const unknownSender: Sender = { name: null, language: 'en' };

/** In whose name, and in which language, a page speaks to readers. */
@Injectable()
export class Senders {
  constructor(private readonly projects: ProjectsRepository) {}

  /** Without its database the gateway still shows the page, in plain English. */
  async of(projectId: string): Promise<Sender> {
    const project = await within(ownDatabaseMs, this.projects.find(projectId)).catch(() => unknownSender);
    if (!project) throw unknownRoute();
    return project;
  }
}
