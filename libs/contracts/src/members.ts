import { scopes, type Scope } from './scopes.js';

/** What a person may do in a project (contract.md §2). */
export const memberRoles = ['OWNER', 'ADMIN', 'MEMBER'] as const;
export type MemberRole = (typeof memberRoles)[number];

/** A member works with everything; who may, and with which keys, is for owners and admins. */
const beyondMembers: readonly Scope[] = ['projects:write', 'api-keys:read', 'api-keys:write'];

export const roleScopes: Record<MemberRole, readonly Scope[]> = {
  OWNER: scopes,
  ADMIN: scopes,
  MEMBER: scopes.filter((scope) => !beyondMembers.includes(scope)),
};
