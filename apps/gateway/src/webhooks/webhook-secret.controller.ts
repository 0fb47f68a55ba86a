import { Controller } from '@nestjs/common';
import { NewProjectWebhookSecret, ProjectWebhookSecret, projectWebhookSecrets } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { RouteRequest } from '../edge/routes/route-request.js';
import { Get, Post } from '../edge/routes/route.js';

const path = 'projects/:projectId/webhook-secret';

/** Signs the calls of webhook steps. */
@Controller()
export class WebhookSecretController {
  constructor(private readonly bus: Bus) {}

  @Get(path, {
    summary: 'Get the end of the secret that signs the calls of webhook steps',
    scope: 'webhooks:read',
    reply: ProjectWebhookSecret,
  })
  get({ caller }: RouteRequest): Promise<ProjectWebhookSecret> {
    return this.bus.call(projectWebhookSecrets.get, caller, {});
  }

  @Post(path, {
    summary: 'Make a new secret for webhook steps, which is shown once; the old one signs, too, for 24 hours',
    scope: 'webhooks:write',
    body: null,
    reply: NewProjectWebhookSecret,
  })
  rotate({ caller }: RouteRequest): Promise<NewProjectWebhookSecret> {
    return this.bus.call(projectWebhookSecrets.rotate, caller, {});
  }
}
