import { DomainError, inSeconds } from '../common/errors.js';
import { query, request } from '../schema/contract.js';
import { Address, Choice, Id, Instant, ListOf, Text } from '../schema/fields.js';
import { scopes, type Scope } from '../common/scopes.js';
import { PickFields } from '../schema/shapes.js';

export const memberRoles = ['OWNER', 'ADMIN', 'MEMBER'] as const;
export type MemberRole = (typeof memberRoles)[number];

/** Access and keys are managed by owners and admins only. */
const beyondMembers: readonly Scope[] = ['projects:write', 'api-keys:read', 'api-keys:write'];

export const roleScopes: Record<MemberRole, readonly Scope[]> = {
  OWNER: scopes,
  ADMIN: scopes,
  MEMBER: scopes.filter((scope) => !beyondMembers.includes(scope)),
};

export class Member {
  @Id() userId: string;
  @Address() email: string;
  @Text(0, 200) name: string;
  @Choice(memberRoles) role: MemberRole;
  @Instant() createdAt: Date;
}

export class UpdateMember extends PickFields(Member, ['role']) {}
export class TransferOwnership extends PickFields(Member, ['userId']) {}

export class RemovedMember {
  @Id() id: string;
}

/** Ownership cannot be granted by an invitation. */
export const invitedRoles = ['ADMIN', 'MEMBER'] as const;
export type InvitedRole = (typeof invitedRoles)[number];

export class Invitation {
  @Id() id: string;
  @Address() email: string;
  @Choice(invitedRoles) role: InvitedRole;
  @Instant() createdAt: Date;
  @Instant() expiresAt: Date;
}

export class InviteMember extends PickFields(Invitation, ['email', 'role']) {}

export class AcceptInvitation {
  @Text(1, 200) token: string;
}

export class AcceptedInvitation {
  @Id() projectId: string;
  @Choice(memberRoles) role: MemberRole;
}

export class ProjectMembers {
  /** At most a thousand, newest first. */
  @ListOf(() => Member, 0, 1_000) items: Member[];
}
export class ListProjectMembers {}
export class PutMember extends PickFields(Member, ['email', 'role']) {}
export class MemberAddress extends PickFields(Member, ['email']) {}

/** For the operator of an installation, who is a member of nothing; people use the routes of their project. */
export const operatedMembers = {
  list: query('gateway.members.list', ListProjectMembers, ProjectMembers),
  /** Makes a person who can sign in a member, or changes the role. Errors: `conflict` for the last owner. */
  put: request('gateway.members.put', PutMember, Member),
  remove: request('gateway.members.remove', MemberAddress, RemovedMember),
};

export const memberNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such member');
/** The same response for links that are invalid, used, expired or for somebody else. */
export const invitationNotFound = () =>
  new DomainError('not_found', 'resource_not_found', 'No such invitation');
export const tooManyInvitations = () =>
  new DomainError('conflict', 'conflict', 'A project may have at most 100 open invitations');
export const tooManyNewInvitations = (retryAfterSeconds: number) =>
  new DomainError(
    'rate_limited',
    'rate_limited',
    `A project may send at most 50 invitations per hour and one per minute to an address; try again ${inSeconds(retryAfterSeconds)}`,
    {
      retryAfterSeconds,
      limit: 50,
    },
  );
/** Other projects may count too, which write to the same mailbox. */
export const tooManyInvitationsOf = (retryAfterSeconds: number) =>
  new DomainError(
    'rate_limited',
    'rate_limited',
    `This address was invited as often as is allowed; try again ${inSeconds(retryAfterSeconds)}`,
    { retryAfterSeconds },
  );
export const lastOwner = () =>
  new DomainError('conflict', 'conflict', 'A project needs an owner: make somebody else an owner first');
export const roleTooLow = () =>
  new DomainError('forbidden', 'scope_missing', 'The role of the caller does not allow this');
