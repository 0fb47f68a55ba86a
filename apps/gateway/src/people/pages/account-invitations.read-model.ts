import type { MemberRole } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';

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
