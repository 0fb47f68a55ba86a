import { busAccess, subscriberOf, type MailSummary, type MailUnderWay } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { marksDirty } from '../segments/segment-dirty.repository.js';
import { lockForRepair } from './event-summary-rebuilds.repository.js';
import type { ContactPosition } from './rebuild-positions.repository.js';

const subscribers = busAccess.contacts.receives
  .filter(({ purpose }) => purpose.startsWith('summaries-'))
  .map(({ purpose }) => subscriberOf('contacts', purpose));

export class MailSummaryRebuilds {
  constructor(private readonly database: Database) {}

  /** A fingerprint of the summaries of some contacts: every event that is processed changes it. */
  async fingerprint(contacts: readonly ContactPosition[]): Promise<string> {
    const [row] = await this.database.query<{ fingerprint: string }>(
      `SELECT coalesce(string_agg(concat_ws(' ', contact_id, kind, count), ',' ORDER BY contact_id, kind), '') AS fingerprint
       FROM mail_summaries WHERE project_id = $1 AND contact_id = ANY ($2::uuid[])`,
      [contacts[0]!.projectId, contacts.map(({ id }) => id)],
    );
    return row!.fingerprint;
  }

  /** Dead letters are counted when they are replayed. */
  async hasDeadLetters(): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT 1 FROM dead_letters WHERE subscriber = ANY ($1::text[]) LIMIT 1`,
      [subscribers],
    );
    return rows.length > 0;
  }

  private async processed(eventIds: readonly string[]): Promise<Set<string>> {
    const rows = await this.database.query<{ id: string }>(
      `SELECT event_id AS id FROM inbox WHERE subscriber = ANY ($1::text[]) AND event_id = ANY ($2::uuid[])`,
      [subscribers, eventIds],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Null where an event was processed after the fingerprint `before`: sending's summaries may be older than it. */
  repair(
    contacts: readonly ContactPosition[],
    before: string,
    items: readonly MailSummary[],
    underWay: readonly MailUnderWay[],
  ): Promise<number | null> {
    return this.database.transaction(async () => {
      await lockForRepair(this.database, 'mail_summaries');
      if ((await this.fingerprint(contacts)) !== before) return null;
      const processed = await this.processed(underWay.map(({ eventId }) => eventId));
      const later = Map.groupBy(
        underWay.filter(({ eventId }) => !processed.has(eventId)),
        keyOf,
      );
      const ids = new Map(contacts.map(({ email, id }) => [email, id]));
      const wanted = items
        .map((item) => ({
          ...item,
          contactId: ids.get(item.email)!,
          count: item.count - (later.get(keyOf(item))?.length ?? 0),
        }))
        .filter(({ contactId, count }) => contactId && count > 0);
      const [done] = await this.database.query<{ repaired: number }>(repairSql, [
        contacts[0]!.projectId,
        contacts.map(({ id }) => id),
        wanted.map(({ contactId }) => contactId),
        wanted.map(({ kind }) => kind),
        wanted.map(({ count }) => count),
        wanted.map(({ firstAt }) => firstAt),
        wanted.map(({ lastAt }) => lastAt),
      ]);
      return done!.repaired;
    });
  }
}

const keyOf = ({ email, kind }: Pick<MailSummary, 'email' | 'kind'>): string => `${email} ${kind}`;

// Sending rounds the instants that its events truncate, so they may differ by a millisecond.
const near = (column: string): string =>
  `abs(extract(epoch FROM known.${column} - excluded.${column})) < 0.0015`;

const repairSql = `
  WITH wanted AS MATERIALIZED (
    SELECT w.* FROM unnest($3::uuid[], $4::text[], $5::bigint[], $6::timestamptz[], $7::timestamptz[]) AS w (contact_id, kind, count, first_at, last_at)
    JOIN contacts c ON c.project_id = $1 AND c.id = w.contact_id
  ), deleted AS (
    DELETE FROM mail_summaries s WHERE s.project_id = $1 AND s.contact_id = ANY ($2::uuid[])
      AND NOT EXISTS (SELECT FROM wanted WHERE wanted.contact_id = s.contact_id AND wanted.kind = s.kind) RETURNING s.contact_id
  ), counted_here AS (
    DELETE FROM early_mail_events e USING contacts c WHERE c.project_id = $1 AND c.id = ANY ($2::uuid[]) AND e.project_id = $1 AND e.email = c.email
  ), put AS (
    INSERT INTO mail_summaries AS known (project_id, contact_id, kind, count, first_at, last_at)
    SELECT $1, contact_id, kind, count, first_at, last_at FROM wanted ORDER BY 2, 3
    ON CONFLICT (project_id, contact_id, kind) DO UPDATE SET count = excluded.count, first_at = excluded.first_at, last_at = excluded.last_at
      WHERE NOT (known.count = excluded.count AND ${near('first_at')} AND ${near('last_at')})
    RETURNING contact_id
  ), repaired AS (
    SELECT contact_id FROM deleted UNION ALL SELECT contact_id FROM put
  ), ${marksDirty('(SELECT DISTINCT $1::uuid AS project_id, contact_id AS id FROM repaired)')}
  SELECT count(*) AS repaired FROM repaired`;
