import { Module } from '@nestjs/common';
import { DomainsModule } from '../domains/domains.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { SystemMailsModule } from '../system-mails/system-mails.module.js';
import { WebhookMails } from './webhook-mails.js';
import { WebhooksSubscribers } from './webhooks.subscribers.js';

@Module({
  imports: [DomainsModule, ProjectsModule, SystemMailsModule],
  providers: [WebhookMails, WebhooksSubscribers],
})
export class WebhooksModule {}
