import type { ListSuppressions, Suppression, SuppressionReason } from '@posthorn/contracts';
import { keysetCondition, pageLimit, toPage, type Database, type Page } from '@posthorn/database';
import { isErasedSql, type ErasedAddressHasher } from '../erasures/erased-names.js';

/** Hand-off marks take it shared, and whoever blocks the address takes it exclusively (docs/guarantees.md §3). */
export const addressLockKeySql = `hashtextextended(project_id || email, 8)`;

/** Indexed; a collision of two addresses is not to be expected. */
const listPosition = `md5(email)::uuid`;

/** An address also matches its hash. */
const isRequested = `project_id = $1 AND email IN ($2, $3)`;

export class SuppressionsRepository {
  constructor(
    private readonly database: Database,
    private readonly hasher: ErasedAddressHasher,
  ) {}

  async lock(projectId: string, email: string): Promise<void> {
    await this.database.query(
      `SELECT pg_advisory_xact_lock(${addressLockKeySql}) FROM (SELECT $1::uuid AS project_id, $2::text AS email) AS address`,
      [projectId, email],
    );
  }

  /** Returns whether the row is new; an existing one keeps its reason and source. Expects the lock. */
  async put(
    projectId: string,
    email: string,
    reason: SuppressionReason,
    source: Suppression['source'],
  ): Promise<boolean> {
    const rows = await this.database.query(
      `INSERT INTO suppressions (project_id, email, reason, source)
       SELECT $1::uuid, $2::text, $4, $5 WHERE NOT EXISTS (SELECT FROM suppressions WHERE ${isRequested})
       ON CONFLICT DO NOTHING RETURNING email`,
      [...this.requested(projectId, email), reason, source],
    );
    return rows.length > 0;
  }

  /** In the lock order of marks, so that there is no deadlock. */
  async lockAll(projectId: string, emails: string[]): Promise<void> {
    await this.database.query(
      `WITH requested AS (SELECT DISTINCT $1::uuid AS project_id, email FROM unnest($2::text[]) AS a (email) ORDER BY project_id, email)
       SELECT count(*) FROM (SELECT pg_advisory_xact_lock(${addressLockKeySql}) FROM requested) AS locked`,
      [projectId, emails],
    );
  }

  /** Returns the new ones. Addresses that were erased meanwhile are stored as hashes. */
  putAll(
    projectId: string,
    rows: readonly Pick<Suppression, 'email' | 'reason'>[],
    { source, createdAt }: Pick<Suppression, 'source' | 'createdAt'>,
  ): Promise<Suppression[]> {
    return this.database.query<Suppression>(
      `INSERT INTO suppressions (project_id, email, reason, source)
       SELECT DISTINCT ON (1, 2) $1::uuid, coalesce(erased.email, r.email), r.reason, $4
       FROM unnest($2::text[], $3::text[], $5::text[]) WITH ORDINALITY AS r (email, reason, hash, index)
       LEFT JOIN erased_addresses erased ON erased.project_id = $1 AND erased.email = r.hash AND erased.erased_at >= $6
       WHERE NOT EXISTS (SELECT FROM suppressions known WHERE known.project_id = $1 AND known.email = r.hash)
       ORDER BY 1, 2, r.index
       ON CONFLICT DO NOTHING RETURNING email, reason, source, created_at AS "createdAt"`,
      [
        projectId,
        rows.map(({ email }) => email),
        rows.map(({ reason }) => reason),
        source,
        rows.map(({ email }) => this.hasher.hash(projectId, email)),
        createdAt,
      ],
    );
  }

  async find(projectId: string, email: string): Promise<Suppression | null> {
    const [row] = await this.database.query<Suppression>(
      `SELECT $2 AS email, reason, source, created_at AS "createdAt" FROM suppressions WHERE ${isRequested} ORDER BY created_at LIMIT 1`,
      this.requested(projectId, email),
    );
    return row ?? null;
  }

  /** Rows have no id, so pages are ordered by a hash of the address. Those of erased addresses are only counted. */
  async list(projectId: string, query: ListSuppressions): Promise<Page<Suppression & { id: string }>> {
    const keyset = keysetCondition(query.after, 4, 's');
    const rows = await this.database.query<Suppression & { id: string }>(
      `SELECT email, reason, source, created_at AS "createdAt", id
       FROM (SELECT *, ${listPosition} AS id FROM suppressions WHERE project_id = $1 AND NOT ${isErasedSql('email')}) AS s
       WHERE ($3::text IS NULL OR reason = $3) ${keyset.sql}
       ORDER BY created_at DESC, id DESC LIMIT $2`,
      [projectId, pageLimit(query) + 1, query.reason ?? null, ...keyset.parameters],
    );
    return toPage(rows, query);
  }

  async count(
    projectId: string,
    reason: SuppressionReason | undefined,
    most: number | null,
  ): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM (SELECT 1 FROM suppressions WHERE project_id = $1 AND NOT ${isErasedSql('email')} AND ($2::text IS NULL OR reason = $2) LIMIT $3) AS counted`,
      [projectId, reason ?? null, most],
    );
    return row!.count;
  }

  async countErased(projectId: string): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM suppressions WHERE project_id = $1 AND ${isErasedSql('email')}`,
      [projectId],
    );
    return row!.count;
  }

  remove(projectId: string, email: string): Promise<Pick<Suppression, 'email' | 'reason'>[]> {
    return this.database.query(
      `DELETE FROM suppressions WHERE ${isRequested} RETURNING email, reason`,
      this.requested(projectId, email),
    );
  }

  private requested(projectId: string, email: string): string[] {
    return [projectId, email, this.hasher.hash(projectId, email)];
  }
}
