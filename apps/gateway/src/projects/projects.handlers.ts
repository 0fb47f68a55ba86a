import { Controller } from '@nestjs/common';
import {
  projects,
  type CreateProject,
  type DisableProject,
  type LimitProject,
  type ListProjects,
  type Project,
  type ProjectId,
  type ProjectPage,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import type { ProjectRow } from './project.entity.js';
import { ProjectsService } from './projects.service.js';

/** Operator and service requests: the project is in the body, not in the caller. */
@Controller()
export class ProjectsHandlers {
  constructor(private readonly projects: ProjectsService) {}

  @Handles(projects.create)
  async create({ body }: Incoming<CreateProject>): Promise<Project> {
    return toProject(await this.projects.create(body.name));
  }

  @Handles(projects.get)
  async get({ body }: Incoming<ProjectId>): Promise<Project> {
    return toProject(await this.projects.get(body.id));
  }

  @Handles(projects.list)
  async list({ body }: Incoming<ListProjects>): Promise<ProjectPage> {
    const page = await this.projects.list(body);
    return { ...page, items: page.items.map(toProject) };
  }

  @Handles(projects.disable)
  async disable({ body }: Incoming<DisableProject>): Promise<Project> {
    return toProject(await this.projects.disable(body.id, body.reason));
  }

  @Handles(projects.enable)
  async enable({ body }: Incoming<ProjectId>): Promise<Project> {
    return toProject(await this.projects.enable(body.id));
  }

  @Handles(projects.limit)
  async limit({ body }: Incoming<LimitProject>): Promise<Project> {
    return toProject(await this.projects.limit(body.id, body.secretPerSecond, body.publicPerSecond));
  }
}

function toProject(row: ProjectRow): Project {
  const { id, name, disabled, disabledReason, sandboxHandle, createdAt, updatedAt, seq } = row;
  const { tracking, language, timeZone, frequencyCap } = row;
  return {
    id,
    name,
    disabled,
    disabledReason,
    sandboxHandle,
    tracking,
    language,
    timeZone,
    frequencyCap,
    createdAt,
    updatedAt,
    seq: Number(seq),
  };
}
