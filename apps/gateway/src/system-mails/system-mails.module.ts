import { Module } from '@nestjs/common';
import { IdentityModule } from '../identity/identity.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { MailLimits } from './mail-limits.js';
import { MailRecipientsRepository } from './mail-recipients.repository.js';
import { SystemMails } from './system-mails.js';
import { SystemMailsRepository } from './system-mails.repository.js';
import { SystemMailsWork } from './system-mails.work.js';
import { SystemProject } from './system-project.js';

@Module({
  imports: [IdentityModule, ProjectsModule],
  providers: [
    SystemMails,
    MailLimits,
    MailRecipientsRepository,
    SystemMailsRepository,
    SystemMailsWork,
    SystemProject,
  ],
  exports: [SystemMails, SystemProject],
})
export class SystemMailsModule {}
