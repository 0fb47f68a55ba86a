import { Module } from '@nestjs/common';
import { DomainsModule } from '../domains/domains.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { SystemMailsModule } from '../system-mails/system-mails.module.js';
import { WebhookCallsController } from './webhook-calls.controller.js';
import { WebhookMails } from './webhook-mails.js';
import { WebhookSecretController } from './webhook-secret.controller.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksSubscribers } from './webhooks.subscribers.js';

@Module({
  imports: [DomainsModule, ProjectsModule, SystemMailsModule],
  controllers: [WebhooksController, WebhookCallsController, WebhookSecretController],
  providers: [WebhookMails, WebhooksSubscribers],
})
export class WebhooksModule {}
