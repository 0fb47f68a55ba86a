import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { WorkQueue, work } from '@posthorn/work';

/** Deletes a secret that was not revealed in time; the item key is the API key's id. */
export const revealPurgeWork = work('gateway.reveal-purges', {
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: 60_000 },
});

/** Without a margin, a purge in the same millisecond would find the secret unexpired. */
const purgeAfterMs = 1_000;

/** One secret per key, kept for five minutes of Postgres time. */
@Injectable()
export class RevealsRepository {
  constructor(
    private readonly database: Database,
    private readonly queue: WorkQueue,
  ) {}

  /** Returns the expiry. Joins the ambient transaction. */
  async put(projectId: string, keyId: string, linkHash: string, sealed: string): Promise<Date> {
    const [row] = await this.database.query<{ expiresAt: Date }>(
      `INSERT INTO api_key_reveals (project_id, key_id, link_hash, sealed, expires_at)
       VALUES ($1, $2, $3, $4, clock_timestamp() + interval '5 minutes')
       ON CONFLICT (project_id, key_id) DO UPDATE
         SET link_hash = excluded.link_hash, sealed = excluded.sealed, expires_at = excluded.expires_at
       RETURNING expires_at AS "expiresAt"`,
      [projectId, keyId, linkHash, sealed],
    );
    const { expiresAt } = row!;
    const dueAt = new Date(expiresAt.getTime() + purgeAfterMs);
    await this.queue.enqueue(revealPurgeWork, [{ projectId, key: keyId, dueAt }], 'REPLACE');
    return expiresAt;
  }

  async take(projectId: string, keyId: string, linkHash: string): Promise<string | null> {
    const [row] = await this.database.query<{ sealed: string }>(
      `DELETE FROM api_key_reveals WHERE project_id = $1 AND key_id = $2 AND link_hash = $3 AND expires_at > clock_timestamp()
       RETURNING sealed`,
      [projectId, keyId, linkHash],
    );
    return row?.sealed ?? null;
  }

  async has(projectId: string, keyId: string, linkHash: string): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT 1 FROM api_key_reveals WHERE project_id = $1 AND key_id = $2 AND link_hash = $3 AND expires_at > clock_timestamp()`,
      [projectId, keyId, linkHash],
    );
    return rows.length > 0;
  }

  async remove(projectId: string, keyId: string): Promise<void> {
    await this.database.query(`DELETE FROM api_key_reveals WHERE project_id = $1 AND key_id = $2`, [
      projectId,
      keyId,
    ]);
  }

  async removeExpired(projectId: string, keyId: string): Promise<void> {
    await this.database.query(
      `DELETE FROM api_key_reveals WHERE project_id = $1 AND key_id = $2 AND expires_at <= clock_timestamp()`,
      [projectId, keyId],
    );
  }
}
