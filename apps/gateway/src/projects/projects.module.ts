import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { InvitationsRepository } from '../members/invitations.repository.js';
import { MembersRepository } from '../members/members.repository.js';
import { MembershipService } from '../members/membership.service.js';
import { CreatorsReadModel } from './creators.read-model.js';
import { ProjectsRepository } from './projects.repository.js';
import { ProjectsService } from './projects.service.js';
import { WithdrawnProjects } from './withdrawn-projects.read-model.js';

@Module({
  imports: [AuditModule],
  providers: [
    ProjectsService,
    ProjectsRepository,
    CreatorsReadModel,
    WithdrawnProjects,
    MembershipService,
    MembersRepository,
    InvitationsRepository,
  ],
  exports: [
    ProjectsService,
    ProjectsRepository,
    CreatorsReadModel,
    WithdrawnProjects,
    MembershipService,
    MembersRepository,
    InvitationsRepository,
  ],
})
export class ProjectsModule {}
