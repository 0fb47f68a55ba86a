import {
  emailEvents,
  type Engagement,
  type EngagementKind,
  type LinkClicks,
  type MachineReason,
} from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { packedOutboxInsert } from '@posthorn/messaging';
import { emailEventDetails } from '../emails/email-event-details.js';

export interface SeenEngagement extends Engagement {
  machine: MachineReason | null;
}

/** A fetch this soon after the hand-off, or before it is recorded, comes from a scanner of the mail server. */
const soonMs = 2_000;
const maxLinks = 500;

const eventOf: Record<EngagementKind, string> = {
  OPEN: emailEvents.opened.name,
  CLICK: emailEvents.clicked.name,
};

export class EngagementsRepository {
  constructor(private readonly database: Database) {}

  /** Returns how many were new. The update returns the values from before it, which tells first opens and clicks in one statement. */
  async record(seen: SeenEngagement[]): Promise<number> {
    const statement = {
      name: 'record engagements',
      replanned: true,
      sql: recordSql,
      parameters: columnsOf(seen),
    };
    const [answer] = await this.database.prepared<{ recorded: number }>(statement);
    return answer!.recorded;
  }

  /** Returns whether it is the first one of the e-mail, which is published. */
  async unsubscribed(projectId: string, emailId: string): Promise<boolean> {
    const rows = await this.database.query(
      `WITH first AS (
         UPDATE emails e SET unsubscribed_at = now() WHERE project_id = $1 AND id = $2 AND status <> 'VOIDED' AND unsubscribed_at IS NULL
         RETURNING project_id, ${emailEventDetails('e')} || jsonb_build_object('at', now()) AS item
       ), event AS (
         ${packedOutboxInsert(`SELECT project_id, '${emailEvents.unsubscribed.name}' AS name, item, NULL::text AS trace, 1 AS row_index FROM first`)}
       )
       SELECT 1 FROM first`,
      [projectId, emailId],
    );
    return rows.length > 0;
  }

  linksOf(projectId: string, emailId: string): Promise<LinkClicks[]> {
    return this.database.query<LinkClicks>(
      `SELECT url, count(*) AS clicks, count(DISTINCT position) AS "uniqueClicks" FROM engagements
       WHERE project_id = $1 AND email_id = $2 AND kind = 'CLICK' AND machine IS NULL GROUP BY url ORDER BY clicks DESC, url LIMIT ${maxLinks}`,
      [projectId, emailId],
    );
  }
}

const publishesEngagements = packedOutboxInsert(`
  SELECT j.project_id, CASE j.kind WHEN 'OPEN' THEN '${eventOf.OPEN}' ELSE '${eventOf.CLICK}' END AS name, NULL::text AS trace,
    row_number() OVER (ORDER BY j.at, j.id) AS row_index,
    k.details || jsonb_build_object('to', coalesce(d.recipient, k.to_email), 'at', j.at, 'link', k.url, 'isFirst', j.is_first,
      'isMachine', j.machine IS NOT NULL,
      'total', CASE j.kind WHEN 'OPEN' THEN coalesce(j.opens, k.opens) ELSE coalesce(j.clicks, k.clicks) END) AS item
  FROM judged j JOIN known k USING (project_id, email_id, id)
  LEFT JOIN deliveries d ON d.project_id = j.project_id AND d.email_id = j.email_id AND d.position = nullif(k.position, 0)`);

const recordSql = `
  WITH seen AS (
    SELECT s.*, now() - s.ago_ms * interval '1 millisecond' AS at
    FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::smallint[], $6::float8[], $7::text[], $8::text[], $9::text[])
      AS s (project_id, email_id, id, kind, position, ago_ms, url, user_agent, machine)
  ), known AS MATERIALIZED (
    SELECT s.*, e.to_email, ${emailEventDetails('e')} AS details, e.opens, e.clicks, e.sent_at, e.status = 'PENDING' AND e.sent_at IS NULL AS is_under_way
    FROM seen s JOIN emails e ON e.project_id = s.project_id AND e.id = s.email_id AND e.status <> 'VOIDED'
  ), stored AS (
    INSERT INTO engagements (project_id, email_id, id, kind, position, at, url, user_agent, machine)
    SELECT project_id, email_id, id, kind, position, at, url, user_agent,
           coalesce(machine, CASE WHEN is_under_way OR at < sent_at + interval '${soonMs} milliseconds' THEN 'TOO_SOON' END)
    FROM known
    ORDER BY project_id, email_id, id
    ON CONFLICT DO NOTHING
    RETURNING project_id, email_id, id, kind, at, machine
  ), counted AS (
    UPDATE emails e
    SET opens = e.opens + n.opens, clicks = e.clicks + n.clicks, updated_at = now(),
        opened_at = least(e.opened_at, n.opened_at), clicked_at = least(e.clicked_at, n.clicked_at)
    FROM (
      SELECT project_id, email_id, count(*) FILTER (WHERE kind = 'OPEN') AS opens, count(*) FILTER (WHERE kind = 'CLICK') AS clicks,
             min(at) FILTER (WHERE kind = 'OPEN') AS opened_at, min(at) FILTER (WHERE kind = 'CLICK') AS clicked_at
      FROM stored WHERE machine IS NULL GROUP BY project_id, email_id ORDER BY project_id, email_id
    ) AS n
    WHERE e.project_id = n.project_id AND e.id = n.email_id
    RETURNING e.project_id, e.id AS email_id, e.opens, e.clicks, old.opened_at AS opened_before, old.clicked_at AS clicked_before
  ), judged AS (
    SELECT stored.*, stored.machine IS NULL
           AND CASE stored.kind WHEN 'OPEN' THEN c.opened_before ELSE c.clicked_before END IS NULL AND row_number() OVER (
             PARTITION BY stored.project_id, stored.email_id, stored.kind, stored.machine IS NULL ORDER BY stored.at, stored.id) = 1 AS is_first, c.opens, c.clicks
    FROM stored LEFT JOIN counted c USING (project_id, email_id)
  ), event AS (
    ${publishesEngagements}
  )
  SELECT count(*) AS recorded FROM stored`;

function columnsOf(seen: SeenEngagement[]): unknown[][] {
  return [
    seen.map(({ projectId }) => projectId),
    seen.map(({ emailId }) => emailId),
    seen.map(({ id }) => id),
    seen.map(({ kind }) => kind),
    seen.map(({ position }) => position),
    seen.map(({ agoMs }) => agoMs),
    seen.map(({ url }) => url ?? null),
    seen.map(({ userAgent }) => userAgent ?? null),
    seen.map(({ machine }) => machine),
  ];
}
