import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { CreatorsReadModel } from './creators.read-model.js';
import { ProjectsRepository } from './projects.repository.js';
import { ProjectsService } from './projects.service.js';
import { WithdrawnProjects } from './withdrawn-projects.read-model.js';

@Module({
  imports: [AuditModule],
  providers: [ProjectsService, ProjectsRepository, CreatorsReadModel, WithdrawnProjects],
  exports: [ProjectsService, ProjectsRepository, CreatorsReadModel, WithdrawnProjects],
})
export class ProjectsModule {}
