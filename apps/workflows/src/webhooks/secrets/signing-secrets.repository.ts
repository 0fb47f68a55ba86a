import type { Database } from '@posthorn/database';

export interface SealedSecret {
  ownerId: string;
  id: string;
  sealed: string;
}

export interface NewSecret extends SealedSecret {
  lastFour: string;
}

const overlap = `interval '24 hours'`;
const maxOverlapping = 4;

export class SigningSecretsRepository {
  constructor(private readonly database: Database) {}

  /** Of each owner the newest first, and with it those that it has replaced a short time ago. */
  usable(projectId: string, ownerIds: readonly string[]): Promise<SealedSecret[]> {
    return this.database.often(
      `SELECT o.id AS "ownerId", s.id, s.sealed FROM unnest($2::uuid[]) AS o (id), LATERAL (
         SELECT id, sealed, ends_at FROM signing_secrets WHERE project_id = $1 AND owner_id = o.id AND (ends_at IS NULL OR ends_at > now())
         ORDER BY ends_at DESC NULLS FIRST LIMIT ${1 + maxOverlapping}) AS s ORDER BY o.id, s.ends_at DESC NULLS FIRST`,
      [projectId, ownerIds],
    );
  }

  async lastFour(projectId: string, ownerId: string): Promise<string | null> {
    const [row] = await this.database.query<{ lastFour: string }>(
      `SELECT last_four AS "lastFour" FROM signing_secrets WHERE project_id = $1 AND owner_id = $2 AND ends_at IS NULL`,
      [projectId, ownerId],
    );
    return row?.lastFour ?? null;
  }

  async add(projectId: string, { id, ownerId, sealed, lastFour }: NewSecret): Promise<void> {
    await this.database.query(
      `INSERT INTO signing_secrets (project_id, id, owner_id, sealed, last_four) VALUES ($1, $2, $3, $4, $5)`,
      [projectId, id, ownerId, sealed, lastFour],
    );
  }

  /** Of two that make a secret at once the second waits for the first. */
  async lock(projectId: string, ownerId: string): Promise<void> {
    await this.database.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 62))`, [
      projectId + ownerId,
    ]);
  }

  async endCurrent(projectId: string, ownerId: string): Promise<void> {
    await this.database.query(
      `UPDATE signing_secrets SET ends_at = now() + ${overlap} WHERE project_id = $1 AND owner_id = $2 AND ends_at IS NULL`,
      [projectId, ownerId],
    );
  }

  async remove(projectId: string, ownerId: string): Promise<void> {
    await this.database.query(`DELETE FROM signing_secrets WHERE project_id = $1 AND owner_id = $2`, [
      projectId,
      ownerId,
    ]);
  }
}
