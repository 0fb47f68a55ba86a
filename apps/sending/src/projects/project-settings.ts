import { Injectable } from '@nestjs/common';
import { ProjectStates, type ProjectSettings as Settings } from './project-states.read-model.js';

/** What a project says of tracking and language, at most a second old. */
@Injectable()
export class ProjectSettings {
  constructor(private readonly states: ProjectStates) {}

  async of(projectId: string): Promise<Settings> {
    return (await this.states.settingsOf([projectId])).get(projectId)!;
  }
}
