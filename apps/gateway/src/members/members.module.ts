import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { PagesModule } from '../pages/pages.module.js';
import { PeopleModule } from '../people/people.module.js';
import { OwnProjectsModule } from '../projects/own-projects.module.js';
import { FirstProjectPages } from './first-project.pages.js';
import { InvitationMails } from './invitation-mails.js';
import { InvitationPages } from './invitation.pages.js';
import { InvitationsService } from './invitations.service.js';
import { MembersController } from './members.controller.js';
import { MembersReadModel } from './members.read-model.js';
import { MembersService } from './members.service.js';
import { MembershipModule } from './membership.module.js';

@Module({
  imports: [AuditModule, MembershipModule, OwnProjectsModule, PeopleModule, PagesModule],
  controllers: [MembersController],
  providers: [
    MembersService,
    MembersReadModel,
    InvitationsService,
    InvitationMails,
    InvitationPages,
    FirstProjectPages,
  ],
})
export class MembersModule {}
