import type { Database } from '@posthorn/database';
import { contactAt } from '../contacts/contact-at.js';
import { marksDirty } from '../segments/segment-dirty.repository.js';

export type MailKind = 'sent' | 'delivered' | 'opened' | 'clicked' | 'bounced' | 'complained';

export interface MailEventRow {
  email: string;
  kind: MailKind;
  at: Date;
}

const ofOccurred = { project: 'occurred.project_id', email: 'occurred.email' };
const countedAtOnce = 5_000;

/** MORE: others whose contact exists are to be counted at once. NEW: some arrived within ten minutes. */
export type EarlyLeft = 'MORE' | 'NEW' | 'OLD' | 'NONE';

export class MailSummaries {
  constructor(private readonly database: Database) {}

  // In the transaction that marks the events as processed. Those without a contact wait for an hour, because
  // they may overtake the event that creates it; returns whether there are any. Contacts are found one by one: a
  // join would be planned once, while the table was small.
  async add(projectId: string, occurred: MailEventRow[]): Promise<boolean> {
    const [row] = await this.database.often<{ early: number }>(
      `WITH occurred AS MATERIALIZED (
         SELECT project_id, email, kind, count(*) AS count, min(at) AS first_at, max(at) AS last_at
         FROM unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[]) AS event (project_id, email, kind, at) GROUP BY 1, 2, 3
       ), owned AS MATERIALIZED (
         SELECT occurred.*, (${contactAt(ofOccurred, 'id')}) AS id FROM occurred
       ), ${summed('(SELECT * FROM owned WHERE id IS NOT NULL)')}, early AS (
         INSERT INTO early_mail_events AS known (project_id, email, kind, count, first_at, last_at)
         SELECT project_id, email, kind, count, first_at, last_at FROM owned WHERE id IS NULL ORDER BY 1, 2, 3
         ON CONFLICT (project_id, email, kind) DO UPDATE SET ${added}, received_at = excluded.received_at
         RETURNING 1
       ) SELECT count(*)::int AS early FROM early`,
      [
        occurred.map(() => projectId),
        occurred.map(({ email }) => email),
        occurred.map(({ kind }) => kind),
        occurred.map(({ at }) => at),
      ],
    );
    return row!.early > 0;
  }

  /** Counts early events whose contact exists by now, and drops those that have waited for an hour without one. */
  async countEarly(projectId: string): Promise<EarlyLeft> {
    const [found] = await this.database.query<{ count: number }>(
      `WITH found AS (
         DELETE FROM early_mail_events e USING contacts c
         WHERE e.project_id = $1 AND c.project_id = e.project_id AND c.email = e.email AND e.ctid = ANY (ARRAY(
           SELECT w.ctid FROM early_mail_events w JOIN contacts USING (project_id, email) WHERE w.project_id = $1 LIMIT $2))
         RETURNING e.*, c.id
       ), ${summed('found')} SELECT count(*)::int AS count FROM found`,
      [projectId, countedAtOnce],
    );
    if (found!.count === countedAtOnce) return 'MORE';
    await this.database.query(
      `DELETE FROM early_mail_events WHERE project_id = $1 AND received_at < now() - interval '1 hour'`,
      [projectId],
    );
    const [row] = await this.database.query<{ newest: boolean | null }>(
      `SELECT max(received_at) > now() - interval '10 minutes' AS newest FROM early_mail_events WHERE project_id = $1`,
      [projectId],
    );
    if (row!.newest === null) return 'NONE';
    return row!.newest ? 'NEW' : 'OLD';
  }
}

const added = `count = known.count + excluded.count,
           first_at = least(known.first_at, excluded.first_at), last_at = greatest(known.last_at, excluded.last_at)`;

const summed = (rows: string): string => `summed AS (
         INSERT INTO mail_summaries AS known (project_id, contact_id, kind, count, first_at, last_at)
         SELECT project_id, id, kind, count, first_at, last_at FROM ${rows} AS counted ORDER BY 1, 2, 3
         ON CONFLICT (project_id, contact_id, kind) DO UPDATE SET ${added}
         RETURNING project_id, contact_id AS id
       ), ${marksDirty('(SELECT DISTINCT project_id, id FROM summed)')}`;
