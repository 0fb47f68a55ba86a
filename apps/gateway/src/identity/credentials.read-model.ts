import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import type { CredentialRow } from './credential.js';

/** Who a token is: the one question that no project can be named for. */
@Injectable()
export class CredentialsReadModel {
  constructor(private readonly database: Database) {}

  /** Active keys of these hashes with their projects, in the order of the question; null for the unknown and the revoked. */
  async byHashes(hashes: string[]): Promise<(CredentialRow | null)[]> {
    const rows = await this.database.query<CredentialRow>(
      `SELECT key.token_hash AS "tokenHash", key.project_id AS "projectId", key.id AS "keyId", key.name,
              key.legacy_grant_preset AS "legacyGrantPreset", key.mode, key.scopes, key.domain_id AS "domainId",
              project.disabled_reason IS NOT NULL AS disabled,
              project.secret_per_second AS "secretPerSecond", project.public_per_second AS "publicPerSecond"
       FROM api_keys key JOIN projects project ON project.id = key.project_id
       WHERE key.token_hash = ANY($1::text[]) AND key.revoked_at IS NULL`,
      [hashes],
    );
    const byHash = new Map(rows.map((row) => [row.tokenHash, row]));
    return hashes.map((hash) => byHash.get(hash) ?? null);
  }
}
