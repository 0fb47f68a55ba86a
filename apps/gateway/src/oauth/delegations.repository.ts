import { Injectable } from '@nestjs/common';
import type { MemberRole } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import type { TokenRow } from '../identity/credential.js';

export interface Delegation {
  id: string;
  projectId: string;
  projectName: string;
  application: string;
  scopes: string[];
  updatedAt: Date;
}

export interface Choice {
  projectId: string;
  name: string;
  role: MemberRole;
}

const most = 100;

@Injectable()
export class DelegationsRepository {
  constructor(private readonly database: Database) {}

  /** A valid token with its grant and membership, all locked until the end of the transaction. */
  async findForShare(
    projectId: string,
    tokenId: string,
  ): Promise<Pick<TokenRow, 'role' | 'scopes' | 'grantedScopes'> | null> {
    const [row] = await this.database.query<Pick<TokenRow, 'role' | 'scopes' | 'grantedScopes'>>(
      `SELECT member.role, token.scopes, consent.scopes AS "grantedScopes"
       FROM oauth_access_tokens token
       JOIN oauth_clients client ON client."clientId" = token."clientId" AND client.disabled IS NOT TRUE
       JOIN oauth_consents consent ON consent."userId" = token."userId" AND consent."referenceId" = token."referenceId"
                                  AND consent."clientId" = token."clientId"
       JOIN members member ON member.project_id = token."referenceId" AND member.user_id = token."userId"
       WHERE token.id = $2 AND token."referenceId" = $1 AND token."expiresAt" > now() AND token.revoked IS NULL
         AND token.confirmation IS NULL
       FOR SHARE OF token, consent, member`,
      [projectId, tokenId],
    );
    return row ?? null;
  }

  listOf(userId: string): Promise<Delegation[]> {
    return this.database.query<Delegation>(
      `SELECT consent.id, consent."referenceId" AS "projectId", project.name AS "projectName",
              left(coalesce(client.name, client."clientId"), 200) AS application, consent.scopes, consent."updatedAt"
       FROM oauth_consents consent JOIN oauth_clients client ON client."clientId" = consent."clientId"
       JOIN projects project ON project.id = consent."referenceId"
       WHERE consent."userId" = $1 ORDER BY consent."updatedAt" DESC, consent.id DESC LIMIT ${most}`,
      [userId],
    );
  }

  /** Returns the id of the grant and keeps the client from being purged as unused. */
  async authorize(userId: string, projectId: string, clientId: string): Promise<string> {
    await this.keep(clientId);
    const [row] = await this.database.query<{ id: string }>(
      `SELECT id FROM oauth_consents WHERE "userId" = $1 AND "referenceId" = $2 AND "clientId" = $3`,
      [userId, projectId, clientId],
    );
    return row!.id;
  }

  end(userId: string, id: string | null = null): Promise<Pick<Delegation, 'id' | 'projectId'>[]> {
    return this.database.query(
      `DELETE FROM oauth_consents WHERE "userId" = $1 AND ($2::uuid IS NULL OR id = $2) RETURNING id, "referenceId" AS "projectId"`,
      [userId, id],
    );
  }

  choicesOf(userId: string): Promise<Choice[]> {
    return this.database.query<Choice>(
      `SELECT project.id AS "projectId", project.name, member.role FROM members member JOIN projects project ON project.id = member.project_id
       WHERE member.user_id = $1 ORDER BY lower(project.name), project.id LIMIT ${most}`,
      [userId],
    );
  }

  /** Clients that were never granted access are purged after a while. */
  async keep(clientId: string): Promise<void> {
    await this.database.query(
      `UPDATE oauth_clients SET kept_since = now() WHERE "clientId" = $1 AND kept_since IS NULL`,
      [clientId],
    );
  }

  /** Also deletes its grants and tokens. */
  async removeClient(clientId: string): Promise<boolean> {
    const removed = await this.database.query(`DELETE FROM oauth_clients WHERE "clientId" = $1 RETURNING 1`, [
      clientId,
    ]);
    return removed.length > 0;
  }

  async nameOf(clientId: string): Promise<string | null> {
    const [row] = await this.database.query<{ name: string }>(
      `SELECT left(coalesce(name, "clientId"), 200) AS name FROM oauth_clients WHERE "clientId" = $1 AND disabled IS NOT TRUE`,
      [clientId],
    );
    return row?.name ?? null;
  }
}
