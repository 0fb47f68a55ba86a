import { Module } from '@nestjs/common';
import { DomainsModule } from '../domains/domains.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { SystemMailsModule } from '../system-mails/system-mails.module.js';
import { UsageMails } from './usage-mails.js';
import { UsageSubscribers } from './usage.subscribers.js';

@Module({
  imports: [DomainsModule, ProjectsModule, SystemMailsModule],
  providers: [UsageMails, UsageSubscribers],
})
export class UsageModule {}
