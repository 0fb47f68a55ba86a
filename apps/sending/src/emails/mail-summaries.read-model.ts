import {
  emailEvents,
  mailSummaries,
  type EmailActivity,
  type MailSummaries,
  type GetMailSummaries,
} from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';

interface Row {
  eventId: string | null;
  email: string;
  kind: EmailActivity;
  count: number;
  first: Date;
  last: Date;
}

/** Totals per address, for services that keep such totals and lost some events. */
export class MailSummariesReadModel {
  constructor(private readonly database: Database) {}

  /** One statement, so that totals and messages under way belong to the same snapshot. */
  @Handles(mailSummaries.of)
  async of({ caller: { projectId }, body: { emails } }: Incoming<GetMailSummaries>): Promise<MailSummaries> {
    const rows = await this.database.query<Row>(summariesSql, [projectId, emails]);
    const sums = rows.filter(({ eventId }) => eventId === null);
    return {
      items: sums.map(({ email, kind, count, first, last }) => ({
        email,
        kind,
        count,
        firstAt: first,
        lastAt: last,
      })),
      underWay: rows.flatMap(({ eventId, email, kind, first }) =>
        eventId === null ? [] : [{ eventId, email, kind, at: first }],
      ),
    };
  }
}

const kindOfEvent: Readonly<Record<string, EmailActivity>> = {
  [emailEvents.sent.name]: 'sent',
  [emailEvents.delivered.name]: 'delivered',
  [emailEvents.bounced.name]: 'bounced',
  [emailEvents.complained.name]: 'complained',
  [emailEvents.opened.name]: 'opened',
  [emailEvents.clicked.name]: 'clicked',
};

const dated = (kind: EmailActivity): string =>
  `SELECT to_email AS email, '${kind}' AS kind, ${kind}_at AS at FROM mine WHERE ${kind}_at IS NOT NULL`;
const engaged = `CASE g.kind WHEN 'OPEN' THEN 'opened' ELSE 'clicked' END AS kind, g.at`;
const byPeople = `g.machine IS NULL`;
const kinds = Object.entries(kindOfEvent).map(([event, kind]) => `WHEN '${event}' THEN '${kind}'`);

// Contacts count only opens and clicks of copies, so only those are summed.
const summariesSql = `
  WITH mine AS MATERIALIZED (
    SELECT id, to_email, sent_at, delivered_at, bounced_at, complained_at FROM emails
    WHERE project_id = $1 AND to_email = ANY ($2::text[]) AND status <> 'VOIDED'
  ), event AS (
    ${(['sent', 'delivered', 'bounced', 'complained'] as const).map(dated).join(' UNION ALL ')}
    UNION ALL
    SELECT mine.to_email, ${engaged} FROM mine
    JOIN engagements g ON g.project_id = $1 AND g.email_id = mine.id AND g.position = 0 AND ${byPeople}
    UNION ALL
    SELECT d.recipient, ${engaged} FROM deliveries d
    JOIN engagements g ON g.project_id = d.project_id AND g.email_id = d.email_id AND g.position = d.position AND ${byPeople}
    WHERE d.project_id = $1 AND d.position > 0 AND d.recipient = ANY ($2::text[])
  )
  SELECT NULL::uuid AS "eventId", email, kind, count(*) AS count, min(at) AS first, max(at) AS last FROM event GROUP BY email, kind
  UNION ALL
  SELECT o.id, item ->> 'to', CASE o.event_name ${kinds.join(' ')} END, 1, (item ->> 'at')::timestamptz, (item ->> 'at')::timestamptz
  FROM outbox o CROSS JOIN LATERAL jsonb_array_elements(o.items) AS item
  WHERE o.project_id = $1 AND o.event_name IN (${Object.keys(kindOfEvent)
    .map((event) => `'${event}'`)
    .join(', ')}) AND (o.published_at IS NULL OR o.created_at > now() - interval '10 minutes')
    AND item ->> 'to' = ANY ($2::text[]) AND coalesce(item ->> 'bounceType', 'Permanent') = 'Permanent'
    AND NOT coalesce((item ->> 'isMachine')::boolean, false)`;
