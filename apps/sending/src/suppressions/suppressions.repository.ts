import type { Suppression, SuppressionReason } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';

/** The lock of one address: the hand-off mark takes it shared, whoever blocks the address takes it alone (guarantees.md §3). */
export const addressLock = `hashtextextended(project_id || email, 8)`;

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

  async find(projectId: string, email: string): Promise<Suppression | null> {
    const [row] = await this.database.query<Suppression>(
      `SELECT email, reason, source, created_at AS "createdAt" FROM suppressions WHERE project_id = $1 AND email = $2`,
      [projectId, email],
    );
    return row ?? null;
  }

  async remove(projectId: string, email: string): Promise<SuppressionReason | null> {
    const [row] = await this.database.query<{ reason: SuppressionReason }>(
      `DELETE FROM suppressions WHERE project_id = $1 AND email = $2 RETURNING reason`,
      [projectId, email],
    );
    return row?.reason ?? null;
  }
}
