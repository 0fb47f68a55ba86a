import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/projects.module.js';
import { SystemMails } from './system-mails.js';
import { SystemMailsRepository } from './system-mails.repository.js';
import { SystemMailsWork } from './system-mails.work.js';
import { SystemProject } from './system-project.js';

@Module({
  imports: [ProjectsModule],
  providers: [SystemMails, SystemMailsRepository, SystemMailsWork, SystemProject],
  exports: [SystemMails, SystemProject],
})
export class SystemMailsModule {}
