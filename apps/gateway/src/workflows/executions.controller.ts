import { Controller } from '@nestjs/common';
import {
  contactEnteredBefore,
  contactIsInside,
  Execution,
  executionEnded,
  ExecutionFilter,
  executionNotFailed,
  executionNotFound,
  executionNotWaiting,
  executions,
  ExecutionWithSteps,
  StartExecution,
  startsUsedUp,
  workflowDisabled,
  workflowNotFound,
  WorkflowStats,
  type ExecutionPage,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { RouteRequest } from '../edge/routes/route-request.js';
import { Get, Post } from '../edge/routes/route.js';

/** An effect that is under way ends first. */
const cancelMs = 8_000;

@Controller()
export class ExecutionsController {
  constructor(private readonly bus: Bus) {}

  @Get('workflows/:id/executions', {
    summary: 'List executions of a workflow, newest first',
    scope: 'workflows:read',
    query: ExecutionFilter,
    listed: 'items',
    reply: Execution,
    missing: workflowNotFound,
  })
  list({ caller, params, query, listPage }: RouteRequest<never, ExecutionFilter>): Promise<ExecutionPage> {
    return this.bus.call(executions.list, caller, { ...query, ...listPage, workflowId: params['id']! });
  }

  @Post('workflows/:id/executions', {
    summary: 'Start a workflow for a contact',
    scope: 'workflows:write',
    body: StartExecution,
    reply: Execution,
    success: 'created',
    missing: workflowNotFound,
    errors: [workflowDisabled, contactEnteredBefore, contactIsInside, startsUsedUp],
  })
  start({ caller, params, body }: RouteRequest<StartExecution>): Promise<Execution> {
    return this.bus.call(executions.start, caller, { ...body, workflowId: params['id']! });
  }

  @Get('workflows/:id/executions/:executionId', {
    summary: 'Get an execution with the steps that it has taken',
    scope: 'workflows:read',
    reply: ExecutionWithSteps,
    missing: executionNotFound,
  })
  get({ caller, params }: RouteRequest): Promise<ExecutionWithSteps> {
    return this.bus.call(executions.get, caller, idOf(params));
  }

  @Post('workflows/:id/executions/:executionId/cancel', {
    summary: 'Cancel an execution',
    scope: 'workflows:write',
    body: null,
    reply: Execution,
    missing: executionNotFound,
    errors: [executionEnded],
  })
  cancel({ caller, params }: RouteRequest): Promise<Execution> {
    return this.bus.call(executions.cancel, caller, idOf(params), { timeoutMs: cancelMs });
  }

  @Post('workflows/:id/executions/:executionId/retry', {
    summary: 'Continue a failed execution at the step that failed',
    scope: 'workflows:write',
    body: null,
    reply: Execution,
    missing: executionNotFound,
    errors: [executionNotFailed, contactIsInside],
  })
  retry({ caller, params }: RouteRequest): Promise<Execution> {
    return this.bus.call(executions.retry, caller, idOf(params));
  }

  @Post('workflows/:id/executions/:executionId/skip-wait', {
    summary: 'End the wait of an execution now',
    scope: 'workflows:write',
    body: null,
    reply: Execution,
    missing: executionNotFound,
    errors: [executionNotWaiting],
  })
  skipWait({ caller, params }: RouteRequest): Promise<Execution> {
    return this.bus.call(executions.skipWait, caller, idOf(params));
  }

  @Get('workflows/:id/stats', {
    summary: 'Count the executions of a workflow by status and the visits of its steps',
    scope: 'workflows:read',
    reply: WorkflowStats,
    missing: workflowNotFound,
  })
  stats({ caller, params }: RouteRequest): Promise<WorkflowStats> {
    return this.bus.call(executions.stats, caller, { id: params['id']! });
  }
}

const idOf = (params: RouteRequest['params']) => ({ workflowId: params['id']!, id: params['executionId']! });
