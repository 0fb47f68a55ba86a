import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { PagesModule } from '../pages/pages.module.js';
import { PeopleModule } from '../people/people.module.js';
import { InvitationMails } from './invitation-mails.js';
import { InvitationPages } from './invitation.pages.js';
import { InvitationsService } from './invitations.service.js';
import { MembersController } from './members.controller.js';
import { MembersReadModel } from './members.read-model.js';
import { MembersService } from './members.service.js';
import { MembershipModule } from './membership.module.js';

@Module({
  imports: [AuditModule, MembershipModule, PeopleModule, PagesModule],
  controllers: [MembersController],
  providers: [MembersService, MembersReadModel, InvitationsService, InvitationMails, InvitationPages],
})
export class MembersModule {}
