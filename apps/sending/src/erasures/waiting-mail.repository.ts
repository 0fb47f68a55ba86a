import type { EmailStatus, FailureKind, SourceType } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { isOfPerson, type Erased } from './erased-addresses.repository.js';

export interface EndedEmail {
  id: string;
  status: Extract<EmailStatus, 'CANCELLED' | 'FAILED'>;
  failureKind: FailureKind;
  error: string | null;
  at: Date;
  sourceType: SourceType;
  campaignId: string | null;
}

const unconfirmed = 'The mail server may have taken the message; it was not sent again';

export class WaitingMailRepository {
  constructor(private readonly database: Database) {}

  async idsTo({ projectId, email, contactId, erasedAt }: Erased, limit: number): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `SELECT id FROM emails WHERE project_id = $1 AND to_email = $2 AND status = 'PENDING' AND ${isOfPerson}
       ORDER BY created_at DESC, id DESC LIMIT $3`,
      [projectId, email, limit, erasedAt, contactId],
    );
    return rows.map(({ id }) => id);
  }

  async idsOfCopiesTo({ projectId, email, erasedAt }: Erased, limit: number): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `SELECT d.email_id AS id FROM deliveries d JOIN emails e ON e.project_id = $1 AND e.id = d.email_id
       WHERE d.project_id = $1 AND d.recipient = $2 AND d.position > 0 AND d.state IN ('QUEUED', 'HELD', 'CLAIMED', 'AMBIGUOUS') AND e.created_at <= $4 LIMIT $3`,
      [projectId, email, limit, erasedAt],
    );
    return rows.map(({ id }) => id);
  }

  /** Including copies: a copy is never sent without the main message. Returns the e-mails that were ended. */
  end(erased: Erased, ids: string[]): Promise<EndedEmail[]> {
    return this.database.query<EndedEmail>(endSql('true'), [
      erased.projectId,
      ids,
      erased.email,
      erased.hash,
    ]);
  }

  async endCopies(erased: Erased, ids: string[]): Promise<void> {
    await this.database.query(endSql('position > 0 AND recipient = $3'), [
      erased.projectId,
      ids,
      erased.email,
      erased.hash,
    ]);
  }
}

const endSql = (which: string): string => `
  WITH waiting AS (
    SELECT email_id, position, state FROM deliveries
    WHERE project_id = $1 AND email_id = ANY ($2::uuid[]) AND state IN ('QUEUED', 'HELD', 'CLAIMED', 'AMBIGUOUS') AND ${which}
    ORDER BY email_id, position FOR UPDATE
  ), ended AS (
    UPDATE deliveries d SET state = CASE w.state WHEN 'AMBIGUOUS' THEN 'FAILED' ELSE 'CANCELLED' END
    FROM waiting w WHERE d.project_id = $1 AND d.email_id = w.email_id AND d.position = w.position
    RETURNING d.email_id, d.position, d.recipient, d.state, CASE w.state WHEN 'AMBIGUOUS' THEN '${unconfirmed}' END AS error
  ), event AS (
    INSERT INTO email_events (project_id, email_id, id, status, recipient, detail)
    SELECT $1, email_id, uuidv7(), state, CASE recipient WHEN $3 THEN $4 ELSE recipient END, error FROM ended
  )
  UPDATE emails e
  SET status = ended.state, error = ended.error, updated_at = now(),
      failure_kind = CASE ended.state WHEN 'FAILED' THEN 'delivery_unconfirmed' ELSE 'cancelled' END
  FROM ended WHERE e.project_id = $1 AND e.id = ended.email_id AND ended.position = 0
  RETURNING e.id, e.status, e.failure_kind AS "failureKind", e.error, e.updated_at AS at, e.source_type AS "sourceType", e.campaign_id AS "campaignId"`;
