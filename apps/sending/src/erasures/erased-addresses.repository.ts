import type { Database } from '@posthorn/database';
import { addressLock } from '../suppressions/suppressions.repository.js';
import { without } from './address-pattern.js';

/** One address of one project, and what stands in its place from now on. */
export interface Erased {
  projectId: string;
  email: string;
  /** What was accepted later is not of the person. */
  erasedAt: Date;
  hash: string;
  /** Finds the address in what is written. */
  pattern: string;
}

/** What still holds of an address: that it was erased, and whether it is sent anything. */
export class ErasedAddressesRepository {
  constructor(private readonly database: Database) {}

  /** Waits for marks on their way to the address; what is marked later finds nothing of it to hand over (docs/guarantees.md G8). */
  async lock({ projectId, email }: Erased): Promise<void> {
    await this.database.query(
      `SELECT pg_advisory_xact_lock(${addressLock}) FROM (SELECT $1::uuid AS project_id, $2::text AS email) AS address`,
      [projectId, email],
    );
  }

  /** Those that said something of an opt-out just now are waited for; whoever speaks later sees that the address was erased. */
  async remember({ projectId, hash }: Erased, contactId: string): Promise<void> {
    await this.database.query(`SET LOCAL lock_timeout = '2s'`);
    await this.database.query(`LOCK TABLE opt_outs IN SHARE ROW EXCLUSIVE MODE`);
    await this.database.query(
      `INSERT INTO erased_addresses (project_id, email, contact_id) VALUES ($1, $2, $3)
       ON CONFLICT (project_id, email) DO UPDATE SET contact_id = excluded.contact_id, erased_at = now()`,
      [projectId, hash, contactId],
    );
  }

  /** What blocks the address goes on doing so; where its hash is blocked already, that came first. */
  async hashBlocks({ projectId, email, hash }: Erased): Promise<void> {
    await this.database.query(
      `WITH gone AS (DELETE FROM suppressions WHERE project_id = $1 AND email = $2 RETURNING reason, source, created_at)
       INSERT INTO suppressions (project_id, email, reason, source, created_at) SELECT $1, $3, reason, source, created_at FROM gone
       ON CONFLICT DO NOTHING`,
      [projectId, email, hash],
    );
    await this.database.query(
      `WITH gone AS (DELETE FROM opt_outs WHERE project_id = $1 AND email = $2 RETURNING opted_out, contact_id, seq, since, stranger_at)
       INSERT INTO opt_outs (project_id, email, opted_out, contact_id, seq, since, stranger_at)
       SELECT $1, $3, opted_out, contact_id, seq, since, stranger_at FROM gone
       ON CONFLICT DO NOTHING`,
      [projectId, email, hash],
    );
  }

  /** Lists that are still being taken in: their row stays a row, and blocks the hash. */
  async hashInLists({ projectId, hash, pattern }: Erased): Promise<void> {
    await this.database.query(
      `UPDATE suppression_imports SET csv = ${without('csv', '$2', '$3')} WHERE project_id = $1 AND finished_at IS NULL AND csv ~* $2`,
      [projectId, pattern, hash],
    );
  }
}
