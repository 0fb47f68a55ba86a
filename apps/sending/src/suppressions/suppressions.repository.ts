import type { ListSuppressions, Suppression, SuppressionReason } from '@posthorn/contracts';
import { keysetCondition, pageLimit, toPage, type Database, type Page } from '@posthorn/database';

/** The lock of one address: the hand-off mark takes it shared, whoever blocks the address takes it alone (guarantees.md §3). */
export const addressLock = `hashtextextended(project_id || email, 8)`;

/** Indexed; addresses that are alike up to it do not exist. */
const placeInList = `md5(email)::uuid`;

export class SuppressionsRepository {
  constructor(private readonly database: Database) {}

  /** Waits for marks on their way to this address; what is marked later sees the suppression. */
  async lock(projectId: string, email: string): Promise<void> {
    await this.database.query(
      `SELECT pg_advisory_xact_lock(${addressLock}) FROM (SELECT $1::uuid AS project_id, $2::text AS email) AS address`,
      [projectId, email],
    );
  }

  /** Answers whether the row is new: the first reason and source are kept. */
  async put(projectId: string, email: string, reason: SuppressionReason, source: Suppression['source']): Promise<boolean> {
    const rows = await this.database.query(
      `INSERT INTO suppressions (project_id, email, reason, source) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING email`,
      [projectId, email, reason, source],
    );
    return rows.length > 0;
  }

  /** In the order in which hand-off marks take them, so that neither waits for the other. */
  async lockAll(projectId: string, emails: string[]): Promise<void> {
    await this.database.query(
      `WITH asked AS (SELECT DISTINCT $1::uuid AS project_id, email FROM unnest($2::text[]) AS a (email) ORDER BY project_id, email)
       SELECT count(*) FROM (SELECT pg_advisory_xact_lock(${addressLock}) FROM asked) AS locked`,
      [projectId, emails],
    );
  }

  /** The new ones of them. */
  putAll(projectId: string, rows: readonly Pick<Suppression, 'email' | 'reason'>[], source: Suppression['source']): Promise<Suppression[]> {
    return this.database.query<Suppression>(
      `INSERT INTO suppressions (project_id, email, reason, source)
       SELECT DISTINCT ON (email) $1::uuid, email, reason, $4 FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS r (email, reason, place) ORDER BY email, place
       ON CONFLICT DO NOTHING RETURNING email, reason, source, created_at AS "createdAt"`,
      [projectId, rows.map(({ email }) => email), rows.map(({ reason }) => reason), source],
    );
  }

  async find(projectId: string, email: string): Promise<Suppression | null> {
    const [row] = await this.database.query<Suppression>(
      `SELECT email, reason, source, created_at AS "createdAt" FROM suppressions WHERE project_id = $1 AND email = $2`,
      [projectId, email],
    );
    return row ?? null;
  }

  /** Rows have no id of their own: pages are ordered by what stands for one. */
  async list(projectId: string, query: ListSuppressions): Promise<Page<Suppression & { id: string }>> {
    const keyset = keysetCondition(query.after, 4, 's');
    const rows = await this.database.query<Suppression & { id: string }>(
      `SELECT email, reason, source, created_at AS "createdAt", id
       FROM (SELECT *, ${placeInList} AS id FROM suppressions WHERE project_id = $1) AS s
       WHERE ($3::text IS NULL OR reason = $3) ${keyset.sql}
       ORDER BY created_at DESC, id DESC LIMIT $2`,
      [projectId, pageLimit(query) + 1, query.reason ?? null, ...keyset.parameters],
    );
    return toPage(rows, query);
  }

  /** No further than `most`, where that is given. */
  async count(projectId: string, reason: SuppressionReason | undefined, most: number | null): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM (SELECT 1 FROM suppressions WHERE project_id = $1 AND ($2::text IS NULL OR reason = $2) LIMIT $3) AS counted`,
      [projectId, reason ?? null, most],
    );
    return row!.count;
  }

  async remove(projectId: string, email: string): Promise<SuppressionReason | null> {
    const [row] = await this.database.query<{ reason: SuppressionReason }>(
      `DELETE FROM suppressions WHERE project_id = $1 AND email = $2 RETURNING reason`,
      [projectId, email],
    );
    return row?.reason ?? null;
  }
}
