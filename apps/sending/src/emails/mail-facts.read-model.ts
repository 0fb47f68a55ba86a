import {
  emailEvents,
  mailFacts,
  type GetMailFacts,
  type MailFact,
  type MailFacts,
  type ProjectAfter,
  type ProjectWithMail,
} from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';

interface Row {
  last: string | null;
  mails: number;
  facts: MailFact[];
  underWay: { eventId: string; event: string; item: Record<string, unknown> }[];
}

/** E-mails as the events that they have caused, for counters that are built again. */
export class MailFactsReadModel {
  constructor(private readonly database: Database) {}

  @Handles(mailFacts.page)
  async page({ caller: { projectId }, body: { after, limit } }: Incoming<GetMailFacts>): Promise<MailFacts> {
    const [row] = await this.database.query<Row>(pageSql, [projectId, after, limit]);
    return {
      mails: row!.mails,
      facts: row!.facts,
      underWay: row!.underWay.map(({ eventId, ...fact }) => ({ eventId, fact })),
      next: row!.last,
    };
  }

  @Handles(mailFacts.projects)
  async projects({ body: { after } }: Incoming<ProjectAfter>): Promise<ProjectWithMail> {
    const [row] = await this.database.query<{ projectId: string }>(
      `SELECT project_id AS "projectId" FROM emails WHERE project_id > $1 ORDER BY project_id LIMIT 1`,
      [after],
    );
    return { projectId: row?.projectId ?? null };
  }
}

const nameOf = {
  accepted: emailEvents.accepted.name,
  sent: emailEvents.sent.name,
  delivered: emailEvents.delivered.name,
  delayed: emailEvents.delayed.name,
  bounced: emailEvents.bounced.name,
  complained: emailEvents.complained.name,
  unsubscribed: emailEvents.unsubscribed.name,
  opened: emailEvents.opened.name,
  clicked: emailEvents.clicked.name,
} as const;

const names = Object.values(nameOf)
  .map((name) => `'${name}'`)
  .join(', ');

const dated = (kind: 'sent' | 'delivered' | 'complained' | 'unsubscribed'): string =>
  `SELECT '${nameOf[kind]}' AS event, details || jsonb_build_object('at', ${kind}_at) AS item FROM mail WHERE ${kind}_at IS NOT NULL`;

const workflowIds = `CASE e.source_type WHEN 'WORKFLOW' THEN
  jsonb_build_object('workflowId', e.metadata->'workflowId', 'stepId', e.metadata->'stepId') END`;

/** Of copies only engagement is published as that of the e-mail. */
const pageSql = `
  WITH mail AS MATERIALIZED (
    SELECT e.id, e.to_email, e.created_at, e.sent_at, e.delivered_at, e.bounced_at, e.complained_at, e.unsubscribed_at,
      jsonb_strip_nulls(jsonb_build_object('emailId', e.id, 'from', e.from_email, 'sourceType', e.source_type, 'templateId', e.template_id,
        'campaignId', e.campaign_id, 'destination', e.destination, 'tags', nullif(to_jsonb(e.tags), '[]'), 'metadata', ${workflowIds})) AS details
    FROM emails e WHERE e.project_id = $1 AND e.id > $2 AND e.status <> 'VOIDED' ORDER BY e.id LIMIT $3
  ), fact AS (
    SELECT '${nameOf.accepted}' AS event, details || jsonb_build_object('at', created_at) AS item FROM mail
    UNION ALL ${(['sent', 'delivered', 'complained', 'unsubscribed'] as const).map(dated).join(' UNION ALL ')}
    UNION ALL
    SELECT '${nameOf.bounced}', details || jsonb_build_object('at', bounced_at, 'bounceType', 'Permanent', 'refused', sent_at IS NULL)
    FROM mail WHERE bounced_at IS NOT NULL
    UNION ALL
    SELECT '${nameOf.delayed}', details || jsonb_build_object('at', delayed.at) FROM mail, LATERAL (
      SELECT min(v.at) AS at FROM email_events v WHERE v.project_id = $1 AND v.email_id = mail.id AND v.kind = 'DELAYED' AND v.recipient = mail.to_email
    ) AS delayed WHERE delayed.at IS NOT NULL
    UNION ALL
    SELECT CASE g.kind WHEN 'OPEN' THEN '${nameOf.opened}' ELSE '${nameOf.clicked}' END,
      details || jsonb_build_object('at', g.at, 'link', g.url, 'isMachine', g.machine IS NOT NULL, 'isFirst', g.machine IS NULL
        AND row_number() OVER (PARTITION BY g.email_id, g.kind, g.machine IS NULL ORDER BY g.at, g.id) = 1)
    FROM mail JOIN engagements g ON g.project_id = $1 AND g.email_id = mail.id
  ), under_way AS (
    SELECT o.id AS "eventId", o.event_name AS event, item FROM outbox o CROSS JOIN LATERAL jsonb_array_elements(o.items) AS item
    WHERE o.project_id = $1 AND o.event_name IN (${names}) AND (o.published_at IS NULL OR o.created_at > now() - interval '10 minutes')
      AND (item->>'emailId')::uuid IN (SELECT id FROM mail)
  )
  SELECT (SELECT max(id::text)::uuid FROM mail) AS last, (SELECT count(*)::int FROM mail) AS mails,
    coalesce((SELECT jsonb_agg(fact) FROM fact), '[]') AS facts, coalesce((SELECT jsonb_agg(under_way) FROM under_way), '[]') AS "underWay"`;
