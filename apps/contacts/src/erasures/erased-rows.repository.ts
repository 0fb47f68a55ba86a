import type { Database } from '@posthorn/database';

export class ErasedRowsRepository {
  constructor(private readonly database: Database) {}

  /** Deletes choices of topics, summaries and up to `limit` events, but keeps the statistics of the project. Returns whether no event is left. */
  async remove(projectId: string, contactIds: readonly string[], limit: number): Promise<boolean> {
    const [row] = await this.database.query<{ events: number }>(
      `WITH deleted_events AS (
         DELETE FROM events WHERE project_id = $1 AND id = ANY (ARRAY(
           SELECT id FROM events WHERE project_id = $1 AND contact_id = ANY ($2::uuid[]) LIMIT $3
         )) RETURNING 1
       ), deleted_summaries AS (
         DELETE FROM event_summaries WHERE project_id = $1 AND contact_id = ANY ($2::uuid[])
       ), deleted_choices AS (
         DELETE FROM topic_choices WHERE project_id = $1 AND contact_id = ANY ($2::uuid[])
       ), deleted_mail AS (
         DELETE FROM mail_summaries WHERE project_id = $1 AND contact_id = ANY ($2::uuid[])
       )
       SELECT count(*)::int AS events FROM deleted_events`,
      [projectId, contactIds, limit],
    );
    return row!.events < limit;
  }

  async removeEarlyMail(projectId: string, emails: readonly string[]): Promise<void> {
    await this.database.query(
      `DELETE FROM early_mail_events WHERE project_id = $1 AND email = ANY ($2::text[])`,
      [projectId, emails],
    );
  }

  async removeRejected(projectId: string, pattern: string, limit: number): Promise<boolean> {
    const removed = await this.database.query(
      `DELETE FROM import_rejected_rows WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM import_rejected_rows WHERE project_id = $1 AND cells::text ~* $2 LIMIT $3)) RETURNING 1`,
      [projectId, pattern, limit],
    );
    return removed.length < limit;
  }

  /** Stored answers repeat the payloads of recorded events. */
  async emptyReceipts(projectId: string, contactIds: readonly string[]): Promise<void> {
    await this.database.query(
      `UPDATE idempotency_keys SET receipt = jsonb_set(receipt, '{payload}', '{}')
       WHERE project_id = $1 AND receipt->>'contactId' = ANY ($2::text[]) AND receipt->'payload' <> '{}'`,
      [projectId, contactIds],
    );
  }

  /** The record of consents stays, as a proof to anybody who knows the address. */
  async hashConsents(
    projectId: string,
    contactIds: readonly string[],
    hashes: readonly string[],
  ): Promise<void> {
    await this.database.query(
      `UPDATE consents SET address_hash = decode(hash, 'hex'), address = NULL, user_agent = NULL
       FROM unnest($2::uuid[], $3::text[]) AS deleted (contact_id, hash)
       WHERE consents.project_id = $1 AND consents.contact_id = deleted.contact_id`,
      [projectId, contactIds, hashes],
    );
  }
}
