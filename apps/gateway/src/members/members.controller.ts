import { Controller } from '@nestjs/common';
import {
  AcceptedInvitation,
  AcceptInvitation,
  Invitation,
  invitationNotFound,
  InviteMember,
  lastOwner,
  Member,
  memberNotFound,
  RemovedMember,
  roleTooLow,
  tooManyInvitations,
  tooManyNewInvitations,
  TransferOwnership,
  UpdateMember,
} from '@posthorn/contracts';
import type { DomainPage } from '../dialects/dialect.js';
import type { RouteRequest } from '../routes/route-request.js';
import { Delete, Get, Patch, Post } from '../routes/route.js';
import { InvitationsService } from './invitations.service.js';
import { MembersService } from './members.service.js';

// Membership is managed by people, not by keys (docs/api-decisions.md §15).
const people = { callers: ['SESSION'] } as const;

@Controller()
export class MembersController {
  constructor(
    private readonly members: MembersService,
    private readonly invitations: InvitationsService,
  ) {}

  @Get('projects/:projectId/members', {
    ...people,
    summary: 'List the members of a project, newest first',
    scope: 'projects:read',
    listed: 'items',
    reply: Member,
  })
  list({ caller, listPage }: RouteRequest): Promise<DomainPage> {
    return this.members.list(caller.projectId, listPage);
  }

  @Post('projects/:projectId/members', {
    ...people,
    summary: 'Invite a person to a project by e-mail',
    scope: 'projects:write',
    body: InviteMember,
    reply: Invitation,
    success: 'created',
    errors: [roleTooLow, tooManyInvitations, () => tooManyNewInvitations(1)],
  })
  invite({ caller, body }: RouteRequest<InviteMember>): Promise<Invitation> {
    return this.invitations.invite(caller, body);
  }

  @Patch('projects/:projectId/members/:userId', {
    ...people,
    summary: 'Change the role of a member',
    scope: 'projects:write',
    body: UpdateMember,
    reply: Member,
    missing: memberNotFound,
    errors: [roleTooLow, lastOwner],
  })
  changeRole({ caller, params, body }: RouteRequest<UpdateMember>): Promise<Member> {
    return this.members.changeRole(caller, params['userId']!.toLowerCase(), body.role);
  }

  /** Everybody may leave; the service decides who may remove others. */
  @Delete('projects/:projectId/members/:userId', {
    ...people,
    summary: 'Remove a member or leave the project',
    scope: 'projects:read',
    reply: RemovedMember,
    success: 'deleted',
    missing: memberNotFound,
    whileDisabled: true,
    errors: [roleTooLow, lastOwner],
  })
  async remove({ caller, params }: RouteRequest): Promise<RemovedMember> {
    const id = params['userId']!.toLowerCase();
    await this.members.remove(caller, id);
    return { id };
  }

  @Post('projects/:projectId/transfer-ownership', {
    ...people,
    summary: 'Transfer ownership to another member',
    scope: 'projects:write',
    body: TransferOwnership,
    reply: Member,
    errors: [roleTooLow],
  })
  transfer({ caller, body }: RouteRequest<TransferOwnership>): Promise<Member> {
    return this.members.transfer(caller, body.userId.toLowerCase());
  }

  @Get('projects/:projectId/invitations', {
    ...people,
    summary: 'List the open invitations of a project, newest first',
    scope: 'projects:write',
    listed: 'items',
    reply: Invitation,
  })
  listInvitations({ caller, listPage }: RouteRequest): Promise<DomainPage> {
    return this.invitations.list(caller.projectId, listPage);
  }

  @Delete('projects/:projectId/invitations/:id', {
    ...people,
    summary: 'Revoke an invitation',
    scope: 'projects:write',
    reply: RemovedMember,
    success: 'deleted',
    missing: invitationNotFound,
    whileDisabled: true,
    errors: [roleTooLow],
  })
  async revokeInvitation({ caller, params }: RouteRequest): Promise<RemovedMember> {
    const id = params['id']!;
    await this.invitations.revoke(caller, id);
    return { id };
  }

  @Post('invitations/accept', {
    ...people,
    project: 'NONE',
    summary: 'Accept an invitation',
    scope: 'projects:read',
    body: AcceptInvitation,
    reply: AcceptedInvitation,
    errors: [invitationNotFound],
  })
  accept({ caller, body }: RouteRequest<AcceptInvitation>): Promise<AcceptedInvitation> {
    return this.invitations.accept(caller.actor.id, body.token);
  }
}
