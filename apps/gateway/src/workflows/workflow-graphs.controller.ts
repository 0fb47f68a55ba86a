import { Controller } from '@nestjs/common';
import {
  GivenGraph,
  GraphFindings,
  WorkflowGraph,
  workflowGraphs,
  workflowNotFound,
  workflowRunning,
  workflowVersionNotFound,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { RouteRequest } from '../edge/routes/route-request.js';
import { Get, Post, Put } from '../edge/routes/route.js';

@Controller()
export class WorkflowGraphsController {
  constructor(private readonly bus: Bus) {}

  @Get('workflows/:id/graph', {
    summary: 'Get the steps and transitions of a workflow',
    scope: 'workflows:read',
    reply: WorkflowGraph,
    missing: workflowNotFound,
  })
  get({ caller, params }: RouteRequest): Promise<WorkflowGraph> {
    return this.bus.call(workflowGraphs.get, caller, { id: params['id']! });
  }

  @Put('workflows/:id/graph', {
    summary: 'Replace the steps and transitions of a workflow as a whole',
    scope: 'workflows:write',
    body: GivenGraph,
    reply: WorkflowGraph,
    missing: workflowNotFound,
    errors: [workflowRunning],
  })
  put({ caller, params, body }: RouteRequest<GivenGraph>): Promise<WorkflowGraph> {
    return this.bus.call(workflowGraphs.put, caller, { ...body, id: params['id']! });
  }

  @Post('workflows/:id/graph/validate', {
    summary: 'Find everything that is wrong with a graph, without storing it',
    scope: 'workflows:read',
    body: GivenGraph,
    reply: GraphFindings,
    onlyReads: true,
    missing: workflowNotFound,
  })
  validate({ caller, params, body }: RouteRequest<GivenGraph>): Promise<GraphFindings> {
    return this.bus.call(workflowGraphs.validate, caller, { ...body, id: params['id']! });
  }

  @Get('workflows/:id/versions/:version/graph', {
    summary: 'Get an earlier version of the graph',
    scope: 'workflows:read',
    reply: WorkflowGraph,
    missing: workflowVersionNotFound,
  })
  version({ caller, params }: RouteRequest): Promise<WorkflowGraph> {
    return this.bus.call(workflowGraphs.version, caller, {
      id: params['id']!,
      version: Number(params['version']),
    });
  }
}
