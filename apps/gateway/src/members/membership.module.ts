import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { InvitationsRepository } from './invitations.repository.js';
import { MembersRepository } from './members.repository.js';
import { MembershipService } from './membership.service.js';

@Module({
  imports: [AuditModule, ProjectsModule],
  providers: [MembershipService, MembersRepository, InvitationsRepository],
  exports: [MembershipService, MembersRepository, InvitationsRepository],
})
export class MembershipModule {}
