import type { Database } from '@posthorn/database';

/** Rows of people who are erased, by the ids of their contacts, in the tables of several rooms. */
export class ErasedRowsRepository {
  constructor(private readonly database: Database) {}

  /** At most so many events, and all that is summed up of them and of mail; what they add to the statistics of the project stays. Answers whether none is left. */
  async remove(projectId: string, contactIds: readonly string[], most: number): Promise<boolean> {
    const [row] = await this.database.query<{ events: number }>(
      `WITH events_gone AS (
         DELETE FROM events WHERE project_id = $1 AND id = ANY (ARRAY(
           SELECT id FROM events WHERE project_id = $1 AND contact_id = ANY ($2::uuid[]) LIMIT $3
         )) RETURNING 1
       ), summaries_gone AS (
         DELETE FROM event_summaries WHERE project_id = $1 AND contact_id = ANY ($2::uuid[])
       ), mail_gone AS (
         DELETE FROM mail_summaries WHERE project_id = $1 AND contact_id = ANY ($2::uuid[])
       )
       SELECT count(*)::int AS events FROM events_gone`,
      [projectId, contactIds, most],
    );
    return row!.events < most;
  }

  /** At most so many rows that an import refused and that name them, in any cell. Answers whether none is left. */
  async removeRejected(projectId: string, texts: string, most: number): Promise<boolean> {
    const removed = await this.database.query(
      `DELETE FROM import_rejected_rows WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM import_rejected_rows WHERE project_id = $1 AND cells::text ~* $2 LIMIT $3)) RETURNING 1`,
      [projectId, texts, most],
    );
    return removed.length < most;
  }

  /** What was answered to who recorded their events, and would be again. */
  async emptyReceipts(projectId: string, contactIds: readonly string[]): Promise<void> {
    await this.database.query(
      `UPDATE idempotency_keys SET receipt = jsonb_set(receipt, '{payload}', '{}')
       WHERE project_id = $1 AND receipt->>'contactId' = ANY ($2::text[]) AND receipt->'payload' <> '{}'`,
      [projectId, contactIds],
    );
  }

  /** The record of who consented to what stays, and proves it to whoever knows the address. */
  async hashConsents(
    projectId: string,
    contactIds: readonly string[],
    hashes: readonly string[],
  ): Promise<void> {
    await this.database.query(
      `UPDATE consents SET address_hash = decode(hash, 'hex'), address = NULL, user_agent = NULL
       FROM unnest($2::uuid[], $3::text[]) AS gone (contact_id, hash)
       WHERE consents.project_id = $1 AND consents.contact_id = gone.contact_id`,
      [projectId, contactIds, hashes],
    );
  }
}
