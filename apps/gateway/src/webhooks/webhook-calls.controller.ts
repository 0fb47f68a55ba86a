import { Controller } from '@nestjs/common';
import {
  ReplayedCalls,
  ReplayRange,
  WebhookCall,
  webhookCallNotFound,
  webhookNotActive,
  webhookNotFound,
  webhooks,
  type WebhookCallPage,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { RouteRequest } from '../edge/routes/route-request.js';
import { Get, Post } from '../edge/routes/route.js';

/** A range may have many calls. */
const waiting = { timeoutMs: 15_000 };

@Controller()
export class WebhookCallsController {
  constructor(private readonly bus: Bus) {}

  @Get('webhooks/:id/calls', {
    summary: 'List the calls of a webhook with their attempts, newest first',
    scope: 'webhooks:read',
    listed: 'items',
    reply: WebhookCall,
    missing: webhookNotFound,
  })
  list({ caller, params, listPage }: RouteRequest): Promise<WebhookCallPage> {
    return this.bus.call(webhooks.calls, caller, { ...listPage, id: params['id']! });
  }

  @Post('webhooks/:id/calls/:callId/replay', {
    summary: 'Make a call of a webhook again, under the id of its event',
    scope: 'webhooks:write',
    body: null,
    reply: WebhookCall,
    success: 'queued',
    missing: webhookCallNotFound,
    errors: [webhookNotActive],
  })
  replay({ caller, params }: RouteRequest): Promise<WebhookCall> {
    return this.bus.call(webhooks.replay, caller, { id: params['id']!, callId: params['callId']! });
  }

  @Post('webhooks/:id/replay', {
    summary: 'Make all calls about the events of a time again, whatever came of them',
    scope: 'webhooks:write',
    body: ReplayRange,
    reply: ReplayedCalls,
    success: 'queued',
    missing: webhookNotFound,
    errors: [webhookNotActive],
  })
  replayRange({ caller, params, body }: RouteRequest<ReplayRange>): Promise<ReplayedCalls> {
    return this.bus.call(webhooks.replayRange, caller, { ...body, id: params['id']! }, waiting);
  }
}
