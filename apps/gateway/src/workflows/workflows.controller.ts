import { Controller } from '@nestjs/common';
import {
  CreateWorkflow,
  DeletedWorkflow,
  ExportedWorkflow,
  ImportWorkflow,
  ResumedWorkflow,
  tooManyEnabledWorkflows,
  UpdateWorkflow,
  Workflow,
  workflowChanged,
  workflowDocuments,
  workflowNotFound,
  workflowRunning,
  workflows,
  type WorkflowPage,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { RouteRequest } from '../edge/routes/route-request.js';
import { Delete, Get, Patch, Post } from '../edge/routes/route.js';

/** Mail that is being handed over ends first. */
const pauseMs = 8_000;

@Controller()
export class WorkflowsController {
  constructor(private readonly bus: Bus) {}

  @Post('workflows', {
    summary: 'Create a disabled workflow with its TRIGGER step',
    scope: 'workflows:write',
    body: CreateWorkflow,
    reply: Workflow,
    success: 'created',
  })
  create({ caller, body }: RouteRequest<CreateWorkflow>): Promise<Workflow> {
    return this.bus.call(workflows.create, caller, body);
  }

  @Get('workflows', {
    summary: 'List workflows, newest first',
    scope: 'workflows:read',
    listed: 'items',
    reply: Workflow,
  })
  list({ caller, listPage }: RouteRequest): Promise<WorkflowPage> {
    return this.bus.call(workflows.list, caller, listPage);
  }

  @Get('workflows/:id', {
    summary: 'Get a workflow without its graph',
    scope: 'workflows:read',
    reply: Workflow,
    missing: workflowNotFound,
  })
  get({ caller, params }: RouteRequest): Promise<Workflow> {
    return this.bus.call(workflows.get, caller, { id: params['id']! });
  }

  @Patch('workflows/:id', {
    summary: 'Update a workflow',
    scope: 'workflows:write',
    body: UpdateWorkflow,
    reply: Workflow,
    missing: workflowNotFound,
    errors: [workflowChanged, tooManyEnabledWorkflows],
  })
  update({ caller, params, body }: RouteRequest<UpdateWorkflow>): Promise<Workflow> {
    return this.bus.call(workflows.update, caller, { ...body, id: params['id']! });
  }

  @Delete('workflows/:id', {
    summary: 'Delete a workflow and its graph',
    scope: 'workflows:write',
    reply: DeletedWorkflow,
    success: 'deleted',
    missing: workflowNotFound,
    errors: [workflowRunning],
  })
  delete({ caller, params }: RouteRequest): Promise<DeletedWorkflow> {
    return this.bus.call(workflows.delete, caller, { id: params['id']! });
  }

  @Post('workflows/:id/clone', {
    summary: 'Copy a workflow and its graph; the copy is disabled',
    scope: 'workflows:write',
    body: null,
    reply: Workflow,
    success: 'created',
    missing: workflowNotFound,
  })
  clone({ caller, params }: RouteRequest): Promise<Workflow> {
    return this.bus.call(workflows.clone, caller, { id: params['id']! });
  }

  @Post('workflows/:id/resume', {
    summary: 'Enable a workflow whose steps are all configured',
    scope: 'workflows:write',
    body: null,
    reply: ResumedWorkflow,
    missing: workflowNotFound,
    errorShape: UpdateWorkflow,
    errors: [workflowChanged, tooManyEnabledWorkflows],
  })
  resume({ caller, params }: RouteRequest): Promise<ResumedWorkflow> {
    return this.bus.call(workflows.resume, caller, { id: params['id']! });
  }

  @Post('workflows/:id/pause', {
    summary: 'Disable a workflow and cancel its running executions',
    scope: 'workflows:write',
    body: null,
    reply: ResumedWorkflow,
    missing: workflowNotFound,
  })
  pause({ caller, params }: RouteRequest): Promise<ResumedWorkflow> {
    return this.bus.call(workflows.pause, caller, { id: params['id']! }, { timeoutMs: pauseMs });
  }

  @Get('workflows/:id/export', {
    summary: 'Get a workflow and its graph as one document',
    scope: 'workflows:read',
    reply: ExportedWorkflow,
    missing: workflowNotFound,
  })
  export({ caller, params }: RouteRequest): Promise<ExportedWorkflow> {
    return this.bus.call(workflowDocuments.export, caller, { id: params['id']! });
  }

  @Post('workflows/import', {
    summary: 'Create a disabled workflow from a document',
    scope: 'workflows:write',
    body: ImportWorkflow,
    reply: Workflow,
    success: 'created',
  })
  import({ caller, body }: RouteRequest<ImportWorkflow>): Promise<Workflow> {
    return this.bus.call(workflowDocuments.import, caller, body);
  }
}
