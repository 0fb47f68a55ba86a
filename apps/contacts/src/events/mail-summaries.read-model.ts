import type { Database } from '@posthorn/database';
import { marksDirty } from '../segments/segment-dirty.repository.js';

export type MailKind = 'sent' | 'delivered' | 'opened' | 'clicked' | 'bounced' | 'complained';

export interface MailEventRow {
  email: string;
  kind: MailKind;
  at: Date;
}

export class MailSummaries {
  constructor(private readonly database: Database) {}

  /** In the transaction that marks the events as processed. Events of addresses without a contact are not counted. */
  async add(projectId: string, occurred: MailEventRow[]): Promise<void> {
    await this.database.query(
      `WITH summed AS (
         INSERT INTO mail_summaries AS known (project_id, contact_id, kind, count, first_at, last_at)
         SELECT contacts.project_id, contacts.id, kind, count(*), min(at), max(at)
         FROM unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[]) AS occurred (project_id, email, kind, at)
         JOIN contacts USING (project_id, email) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
         ON CONFLICT (project_id, contact_id, kind) DO UPDATE SET count = known.count + excluded.count,
           first_at = least(known.first_at, excluded.first_at), last_at = greatest(known.last_at, excluded.last_at)
         RETURNING project_id, contact_id AS id
       ), ${marksDirty('(SELECT DISTINCT project_id, id FROM summed)')} SELECT`,
      [
        occurred.map(() => projectId),
        occurred.map(({ email }) => email),
        occurred.map(({ kind }) => kind),
        occurred.map(({ at }) => at),
      ],
    );
  }
}
