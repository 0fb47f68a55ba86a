import { DomainError } from '../common/errors.js';
import { Address, Choice, Id, Instant, Text } from '../schema/fields.js';
import { scopes, type Scope } from '../common/scopes.js';
import { PickFields } from '../schema/shapes.js';

/** What a person may do in a project (docs/api-decisions.md §2). */
export const memberRoles = ['OWNER', 'ADMIN', 'MEMBER'] as const;
export type MemberRole = (typeof memberRoles)[number];

/** A member works with everything; who may, and with which keys, is for owners and admins. */
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

/** What the answer to a removal is made of. */
export class RemovedMember {
  @Id() id: string;
}

/** Nobody is made an owner by mail. */
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

export const memberNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such member');
/** Alike for a link that never was, was used, is too old, or is for somebody else. */
export const invitationNotFound = () =>
  new DomainError('not_found', 'resource_not_found', 'No such invitation');
export const tooManyInvitations = () =>
  new DomainError('conflict', 'conflict', 'A project may have 100 open invitations');
export const tooManyNewInvitations = (retryAfterSeconds: number) =>
  new DomainError(
    'rate_limited',
    'rate_limited',
    'A project may send 50 invitations an hour, and one a minute to an address',
    {
      retryAfterSeconds,
      limit: 50,
    },
  );
export const lastOwner = () =>
  new DomainError('conflict', 'conflict', 'A project keeps an owner: make somebody else one first');
export const roleTooLow = () =>
  new DomainError('forbidden', 'scope_missing', 'The role of the caller does not reach that far');
