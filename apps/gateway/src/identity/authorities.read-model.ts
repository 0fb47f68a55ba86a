import { Injectable } from '@nestjs/common';
import type { MemberRole } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import type { KeyRow } from './credential.js';
import { activeKeys } from './identities.read-model.js';

export interface DelegatedRole {
  id: string;
  role: MemberRole;
  grantedScopes: string[];
}

/** Rights by the id of who has them; nobody presents a credential. */
@Injectable()
export class AuthoritiesReadModel {
  constructor(private readonly database: Database) {}

  /** Null where there is no such project. */
  async isDisabled(projectId: string): Promise<boolean | null> {
    const [row] = await this.database.query<{ disabled: boolean }>(
      `SELECT disabled_reason IS NOT NULL AS disabled FROM projects WHERE id = $1`,
      [projectId],
    );
    return row?.disabled ?? null;
  }

  async keys(projectId: string, ids: readonly string[]): Promise<KeyRow[]> {
    if (ids.length === 0) return [];
    return this.database.query(`${activeKeys} AND key.project_id = $1 AND key.id = ANY ($2::uuid[])`, [
      projectId,
      ids,
    ]);
  }

  async members(projectId: string, ids: readonly string[]): Promise<{ id: string; role: MemberRole }[]> {
    if (ids.length === 0) return [];
    return this.database.query(
      `SELECT user_id AS id, role FROM members WHERE project_id = $1 AND user_id = ANY ($2::uuid[])`,
      [projectId, ids],
    );
  }

  /** The grant outlives its tokens. */
  async grants(projectId: string, ids: readonly string[]): Promise<DelegatedRole[]> {
    if (ids.length === 0) return [];
    return this.database.query(
      `SELECT consent.id, member.role, consent.scopes AS "grantedScopes" FROM oauth_consents consent
       JOIN oauth_clients client ON client."clientId" = consent."clientId" AND client.disabled IS NOT TRUE
       JOIN members member ON member.project_id = consent."referenceId" AND member.user_id = consent."userId"
       WHERE consent."referenceId" = $1 AND consent.id = ANY ($2::uuid[])`,
      [projectId, ids],
    );
  }
}
