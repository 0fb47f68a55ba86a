import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { CreatorsReadModel } from './founders.read-model.js';
import { ProjectsHandlers } from './projects.handlers.js';
import { ProjectsRepository } from './projects.repository.js';
import { ProjectsService } from './projects.service.js';

@Module({
  imports: [AuditModule],
  controllers: [ProjectsHandlers],
  providers: [ProjectsService, ProjectsRepository, CreatorsReadModel],
  exports: [ProjectsService, ProjectsRepository, CreatorsReadModel],
})
export class ProjectsModule {}
