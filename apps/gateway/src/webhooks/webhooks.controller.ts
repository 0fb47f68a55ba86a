import { Controller } from '@nestjs/common';
import {
  CreateWebhook,
  DeletedWebhook,
  maxWebhooks,
  mayNotHearOfPending,
  tooManyWebhooks,
  UpdateWebhook,
  Webhook,
  WebhookCall,
  webhookNotFound,
  webhooks,
  WebhookWithSecret,
  type WebhookPage,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { RouteRequest } from '../edge/routes/route-request.js';
import { Delete, Get, Patch, Post } from '../edge/routes/route.js';

/** An endpoint may take ten seconds. */
const waiting = { timeoutMs: 15_000 };

@Controller()
export class WebhooksController {
  constructor(private readonly bus: Bus) {}

  @Post('webhooks', {
    summary: 'Subscribe a URL to events; returns the secret that signs them, which is shown once',
    scope: 'webhooks:write',
    body: CreateWebhook,
    reply: WebhookWithSecret,
    success: 'created',
    errors: [tooManyWebhooks, mayNotHearOfPending],
  })
  create({ caller, body, scopes }: RouteRequest<CreateWebhook>): Promise<WebhookWithSecret> {
    return this.bus.call(webhooks.create, caller, { ...body, mayConfirm: scopes.has('lists:write') });
  }

  @Get('webhooks', {
    summary: 'List webhooks, newest first',
    scope: 'webhooks:read',
    listed: 'whole',
    reply: Webhook,
  })
  list({ caller, surface, listPage }: RouteRequest): Promise<WebhookPage> {
    return this.bus.call(webhooks.list, caller, surface === 'legacy' ? { limit: maxWebhooks } : listPage);
  }

  @Get('webhooks/:id', {
    summary: 'Get a webhook',
    scope: 'webhooks:read',
    reply: Webhook,
    missing: webhookNotFound,
  })
  get({ caller, params }: RouteRequest): Promise<Webhook> {
    return this.bus.call(webhooks.get, caller, { id: params['id']! });
  }

  @Patch('webhooks/:id', {
    summary: 'Change a webhook, pause it, or set it to ACTIVE again',
    scope: 'webhooks:write',
    body: UpdateWebhook,
    reply: Webhook,
    missing: webhookNotFound,
    errors: [mayNotHearOfPending],
  })
  update({ caller, params, body, scopes }: RouteRequest<UpdateWebhook>): Promise<Webhook> {
    const mayConfirm = scopes.has('lists:write');
    return this.bus.call(webhooks.update, caller, { ...body, mayConfirm, id: params['id']! });
  }

  @Delete('webhooks/:id', {
    summary: 'Delete a webhook with all its calls',
    scope: 'webhooks:write',
    reply: DeletedWebhook,
    success: 'deleted',
    missing: webhookNotFound,
  })
  delete({ caller, params }: RouteRequest): Promise<DeletedWebhook> {
    return this.bus.call(webhooks.delete, caller, { id: params['id']! });
  }

  @Post('webhooks/:id/rotate-secret', {
    summary: 'Make a new secret of a webhook; the old one signs, too, for 24 hours',
    scope: 'webhooks:write',
    body: null,
    reply: WebhookWithSecret,
    missing: webhookNotFound,
  })
  rotateSecret({ caller, params }: RouteRequest): Promise<WebhookWithSecret> {
    return this.bus.call(webhooks.rotateSecret, caller, { id: params['id']! });
  }

  @Post('webhooks/:id/test', {
    summary: 'Send a test to the URL of a webhook and return what it answered',
    scope: 'webhooks:write',
    body: null,
    reply: WebhookCall,
    missing: webhookNotFound,
  })
  test({ caller, params }: RouteRequest): Promise<WebhookCall> {
    return this.bus.call(webhooks.test, caller, { id: params['id']! }, waiting);
  }
}
