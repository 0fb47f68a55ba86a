import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import type { KeyRow, Membership, SessionUser, TokenRow } from './credential.js';

export const activeKeys = `
  SELECT key.token_hash AS "tokenHash", key.project_id AS "projectId", key.id AS "keyId", key.name,
         key.legacy_grant_preset AS "legacyGrantPreset", key.mode, key.scopes, key.domain_id AS "domainId", key.confine,
         CASE key.mode WHEN 'TEST' THEN project.sandbox_handle END AS "sandboxHandle",
         CASE key.mode WHEN 'TEST' THEN ARRAY(
           SELECT person.email FROM members member JOIN auth_users person ON person.id = member.user_id
           WHERE member.project_id = key.project_id AND member.role = 'OWNER' AND person."emailVerified"
         ) END AS "ownAddresses",
         project.disabled_reason IS NOT NULL AS disabled,
         project.secret_per_second AS "secretPerSecond", project.public_per_second AS "publicPerSecond"
  FROM api_keys key JOIN projects project ON project.id = key.project_id
  WHERE key.revoked_at IS NULL`;

/** Lookups by credential, before the project is known. Results are in the order of the request, null for unknown ones. */
@Injectable()
export class IdentitiesReadModel {
  constructor(private readonly database: Database) {}

  async keysByHashes(hashes: string[]): Promise<(KeyRow | null)[]> {
    const rows = await this.database.query<KeyRow>(`${activeKeys} AND key.token_hash = ANY($1::text[])`, [
      hashes,
    ]);
    return inOrder(hashes, rows, ({ tokenHash }) => tokenHash);
  }

  /** A token is valid only while its grant exists and its user is still a member. */
  async tokensByHashes(hashes: string[]): Promise<(TokenRow | null)[]> {
    const rows = await this.database.query<TokenRow>(
      `SELECT token.token AS "tokenHash", token.id AS "tokenId", consent.id AS "grantId", left(client.name, 200) AS "applicationName",
              member.project_id AS "projectId", member.role, token.scopes, consent.scopes AS "grantedScopes",
              project.disabled_reason IS NOT NULL AS disabled, project.secret_per_second AS "secretPerSecond"
       FROM oauth_access_tokens token
       JOIN oauth_clients client ON client."clientId" = token."clientId" AND client.disabled IS NOT TRUE
       JOIN oauth_consents consent ON consent."userId" = token."userId" AND consent."referenceId" = token."referenceId"
                                  AND consent."clientId" = token."clientId"
       JOIN members member ON member.project_id = token."referenceId" AND member.user_id = token."userId"
       JOIN projects project ON project.id = token."referenceId"
       WHERE token.token = ANY($1::text[]) AND token."expiresAt" > now() AND token.revoked IS NULL
         AND token.confirmation IS NULL`,
      [hashes],
    );
    return inOrder(hashes, rows, ({ tokenHash }) => tokenHash);
  }

  async sessionsByHashes(hashes: string[]): Promise<(SessionUser | null)[]> {
    const rows = await this.database.query<SessionUser & { tokenHash: string }>(
      `SELECT session.token AS "tokenHash", session.id AS "sessionId", person.id AS "userId", person.name, person.email,
              person."emailVerified"
       FROM auth_sessions session JOIN auth_users person ON person.id = session."userId"
       WHERE session.token = ANY($1::text[]) AND session."expiresAt" > now()`,
      [hashes],
    );
    return inOrder(hashes, rows, ({ tokenHash }) => tokenHash);
  }

  async memberships(pairs: { userId: string; projectId: string }[]): Promise<(Membership | null)[]> {
    const rows = await this.database.query<Membership & { userId: string; projectId: string }>(
      `SELECT member.user_id AS "userId", member.project_id AS "projectId", member.role,
              project.disabled_reason IS NOT NULL AS disabled
       FROM unnest($1::uuid[], $2::uuid[]) AS wanted (user_id, project_id)
       JOIN members member USING (user_id, project_id) JOIN projects project ON project.id = member.project_id`,
      [pairs.map(({ userId }) => userId), pairs.map(({ projectId }) => projectId)],
    );
    const key = ({ userId, projectId }: { userId: string; projectId: string }) => `${userId}/${projectId}`;
    return inOrder(pairs.map(key), rows, key);
  }
}

function inOrder<Row>(
  wanted: readonly string[],
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): (Row | null)[] {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  return wanted.map((key) => byKey.get(key) ?? null);
}
