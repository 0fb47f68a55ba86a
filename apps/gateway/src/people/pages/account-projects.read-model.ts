import { roleScopes, type Confinement, type GrantPreset, type MemberRole } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';

export interface AccountKey {
  name: string;
  lastFour: string;
  mode: 'LIVE' | 'TEST';
  legacyGrantPreset: GrantPreset;
  confine: Confinement | null;
  lastUsedAt: string | null;
}

export interface AccountProject {
  id: string;
  name: string;
  role: MemberRole;
  isDisabled: boolean;
  /** Empty where the role may not see keys. */
  keys: AccountKey[];
}

const maxProjects = 50;
const maxKeys = 20;

export class AccountProjects {
  constructor(private readonly database: Database) {}

  async of(userId: string): Promise<AccountProject[]> {
    const rows = await this.database.query<AccountProject>(
      `SELECT p.id, p.name, m.role, p.disabled_reason IS NOT NULL AS "isDisabled", keys.list AS keys
       FROM members m JOIN projects p ON p.id = m.project_id, LATERAL (
         SELECT coalesce(json_agg(k), '[]') AS list FROM (
           SELECT name, last_four AS "lastFour", mode, legacy_grant_preset AS "legacyGrantPreset", confine, last_used_at AS "lastUsedAt" FROM api_keys
           WHERE project_id = p.id AND revoked_at IS NULL ORDER BY created_at, id LIMIT ${maxKeys}
         ) AS k
       ) AS keys
       WHERE m.user_id = $1 ORDER BY p.name, p.id LIMIT ${maxProjects}`,
      [userId],
    );
    return rows.map((row) => (roleScopes[row.role].includes('api-keys:read') ? row : { ...row, keys: [] }));
  }
}

export interface AccountInvitation {
  id: string;
  project: string;
  role: MemberRole;
  invitedBy: string | null;
}

const maxInvitations = 20;

/** Open invitations to the address of a person, once it is verified: whoever receives mail there may accept them without the link. */
export class AccountInvitations {
  constructor(private readonly database: Database) {}

  of(userId: string): Promise<AccountInvitation[]> {
    return this.database.query<AccountInvitation>(
      `SELECT i.id, p.name AS project, i.role, inviter.name AS "invitedBy"
       FROM auth_users person JOIN invitations i ON i.email = person.email JOIN projects p ON p.id = i.project_id
         LEFT JOIN auth_users inviter ON inviter.id = i.invited_by
       WHERE person.id = $1 AND person."emailVerified" AND i.expires_at > clock_timestamp()
       ORDER BY i.created_at DESC, i.id LIMIT ${maxInvitations}`,
      [userId],
    );
  }
}
