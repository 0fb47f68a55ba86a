import { Injectable } from '@nestjs/common';
import { ProjectStates, type ProjectSettings as Settings } from './project-states.read-model.js';

@Injectable()
export class ProjectSettings {
  constructor(private readonly states: ProjectStates) {}

  of(projectId: string): Promise<Settings> {
    return this.states.settingsOf(projectId);
  }
}
