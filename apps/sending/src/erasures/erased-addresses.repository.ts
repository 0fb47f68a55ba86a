import type { Database } from '@posthorn/database';
import { addressLockKeySql } from '../suppressions/suppressions.repository.js';
import { without } from './address-pattern.js';

export interface Erased {
  projectId: string;
  email: string;
  contactId: string;
  erasedAt: Date;
  hash: string;
  pattern: string;
}

/** Of the mail to an address: later mail belongs to its new owner, unless a campaign names the erased contact. For `$4`, the instant, and `$5`, the contact. */
export const isOfPerson = `(created_at <= $4 OR campaign_id IS NOT NULL AND contact_id = $5)`;

export class ErasedAddressesRepository {
  constructor(private readonly database: Database) {}

  /** Waits for marks of the address that are in progress; later marks find nothing to hand over (docs/guarantees.md G8). */
  async lock({ projectId, email }: Erased): Promise<void> {
    await this.database.query(
      `SELECT pg_advisory_xact_lock(${addressLockKeySql}) FROM (SELECT $1::uuid AS project_id, $2::text AS email) AS address`,
      [projectId, email],
    );
  }

  /** Waits for opt-outs in progress; later ones see that the address was erased. */
  async remember({ projectId, hash }: Erased, contactId: string): Promise<void> {
    await this.database.query(`SET LOCAL lock_timeout = '2s'`);
    await this.database.query(`LOCK TABLE opt_outs IN SHARE ROW EXCLUSIVE MODE`);
    await this.database.query(
      `INSERT INTO erased_addresses (project_id, email, contact_id) VALUES ($1, $2, $3)
       ON CONFLICT (project_id, email) DO UPDATE SET contact_id = excluded.contact_id, erased_at = now()`,
      [projectId, hash, contactId],
    );
  }

  /** Suppressions and opt-outs keep their effect under the hash; an existing one of the hash wins. */
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

  /** Results say who was looked at; what was found stays. */
  async hashValidated({ projectId, email, hash, pattern }: Erased): Promise<void> {
    await this.database.query(
      `UPDATE email_validation_results SET
         email = CASE WHEN email = $2 THEN $3 ELSE ${without('email', '$4', '$3')} END,
         suggestion = CASE WHEN suggestion = $2 THEN NULL ELSE suggestion END
       WHERE project_id = $1 AND (email = $2 OR suggestion = $2 OR NOT syntax AND email ~* $4)`,
      [projectId, email, hash, pattern],
    );
  }

  /** A file from before the erasure that is still being validated may name the person again. */
  async mayBeValidated({ projectId, erasedAt }: Erased): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT FROM email_validations WHERE project_id = $1 AND finished_at IS NULL AND created_at <= $2 LIMIT 1`,
      [projectId, erasedAt],
    );
    return rows.length > 0;
  }

  /** In unfinished suppression imports the address is replaced, so that its row suppresses the hash. */
  async hashInLists({ projectId, hash, pattern }: Erased): Promise<void> {
    await this.database.query(
      `UPDATE suppression_imports SET csv = ${without('csv', '$2', '$3')} WHERE project_id = $1 AND finished_at IS NULL AND csv ~* $2`,
      [projectId, pattern, hash],
    );
  }
}
