import { Controller } from '@nestjs/common';
import {
  CreateProject,
  emailNotVerified,
  ProjectDetails,
  tooManyNewProjects,
  tooManyProjects,
  UpdateProject,
} from '@posthorn/contracts';
import { GatewayConfig } from '../config.js';
import type { DomainPage } from '../dialects/dialect.js';
import type { RouteRequest } from '../routes/route-request.js';
import { Get, Patch, Post } from '../routes/route.js';
import { OwnProjectsService } from './own-projects.service.js';
import type { ProjectRow } from './project.entity.js';
import { ProjectsService } from './projects.service.js';

const ofAPerson = { callers: ['SESSION'], project: 'NONE' } as const;

@Controller()
export class ProjectsController {
  constructor(
    private readonly projects: ProjectsService,
    private readonly own: OwnProjectsService,
    private readonly config: GatewayConfig,
  ) {}

  @Post('users/me/projects', {
    ...ofAPerson,
    summary: 'Create a project owned by the current user',
    scope: 'projects:write',
    body: CreateProject,
    reply: ProjectDetails,
    success: 'created',
    bareOnLegacy: true,
    errors: [emailNotVerified, tooManyProjects, () => tooManyNewProjects(1)],
  })
  async create({ caller, body }: RouteRequest<CreateProject>): Promise<ProjectDetails> {
    return this.shown(await this.own.create(caller.actor.id, body.name));
  }

  @Get('users/me/projects', {
    ...ofAPerson,
    summary: 'List the current user’s projects, newest first',
    scope: 'projects:read',
    listed: 'items',
    reply: ProjectDetails,
  })
  async list({ caller, listPage }: RouteRequest): Promise<DomainPage> {
    const found = await this.own.list(caller.actor.id, listPage);
    return { ...found, items: found.items.map((row) => this.shown(row)) };
  }

  @Get('projects/:projectId', { summary: 'Get a project', scope: 'projects:read', reply: ProjectDetails })
  async get({ caller }: RouteRequest): Promise<ProjectDetails> {
    return this.shown(await this.projects.get(caller.projectId));
  }

  @Patch('projects/:projectId', {
    summary: 'Update a project',
    scope: 'projects:write',
    body: UpdateProject,
    reply: ProjectDetails,
  })
  async update({ caller, body }: RouteRequest<UpdateProject>): Promise<ProjectDetails> {
    return this.shown(await this.projects.settle(caller.projectId, body));
  }

  private shown(row: ProjectRow): ProjectDetails {
    return projectDetails(row, this.config.sandboxDomain);
  }
}

function projectDetails(row: ProjectRow, sandboxDomain: string): ProjectDetails {
  const { id, name, disabled, disabledReason, sandboxHandle, region } = row;
  const { tracking, language, timeZone, postalAddress, frequencyCap, createdAt, updatedAt } = row;
  return {
    id,
    name,
    disabled,
    disabledReason,
    sandboxHandle,
    region,
    tracking,
    language,
    timeZone,
    postalAddress,
    frequencyCap,
    createdAt,
    updatedAt,
    sandboxAddress: row.sandboxAddress(sandboxDomain),
    providerRegion: region,
    ...unbilled,
  };
}

const unbilled = {
  paymentCustomerId: null,
  paymentSubscriptionId: null,
  billingLimitWorkflows: null,
  billingLimitCampaigns: null,
  billingLimitTransactional: null,
  billingLimitInbound: null,
  organizationId: null,
} as const;
