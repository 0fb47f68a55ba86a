import {
  mailHistory,
  type GetMailHistory,
  type EmailStatus,
  type EngagementKind,
  type MailHistoryEvent,
  type MailHistoryKind,
  type MailEventTime,
  type PagePosition,
  type MailHistory,
} from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';

export interface RequestedTimes {
  email: string;
  emailIds: readonly string[];
  limit: number;
  after?: PagePosition;
}

const byStatus: Record<EmailStatus, MailHistoryKind | null> = {
  PENDING: null,
  SENDING: null,
  SENT: 'email.sent',
  DELIVERED: 'email.delivered',
  DELIVERY_DELAY: 'email.delayed',
  BOUNCED: 'email.bounced',
  FAILED: 'email.failed',
  REJECTED: 'email.failed',
  RENDERING_FAILURE: 'email.failed',
  CANCELLED: 'email.cancelled',
  RECEIVED: null,
};
const byEngagement: Record<EngagementKind, MailHistoryKind> = {
  OPEN: 'email.opened',
  CLICK: 'email.clicked',
};

export class MailHistoryReadModel {
  constructor(private readonly database: Database) {}

  @Handles(mailHistory.page)
  async historyOf({ caller, body }: Incoming<GetMailHistory>): Promise<MailHistory> {
    return { items: await this.page(caller.projectId, body) };
  }

  private page(projectId: string, requested: GetMailHistory): Promise<MailHistoryEvent[]> {
    const { sql, parameters } = mailHistoryStatement(projectId, requested);
    return this.database.query<MailHistoryEvent>(sql, parameters);
  }

  timesOf(
    projectId: string,
    { email, emailIds, limit, after }: RequestedTimes,
  ): Promise<(MailEventTime & { emailId: string })[]> {
    return this.database.query(
      `SELECT h.id, h.at, h.kind, e.id AS "emailId", h.detail, h.link
       FROM (SELECT id, created_at, complained_at FROM emails WHERE project_id = $1 AND to_email = $2 AND id = ANY ($3::uuid[])) AS e
       CROSS JOIN LATERAL (
         SELECT * FROM (${occurrences}) AS h WHERE $5::timestamptz IS NULL OR (h.at, h.id) < ($5, $6::uuid)
         ORDER BY h.at DESC, h.id DESC LIMIT $4
       ) AS h ORDER BY h.at DESC, h.id DESC`,
      [projectId, email, emailIds, limit, after?.at ?? null, after?.id ?? null],
    );
  }
}

// By recipient and not by event, because an old e-mail may have been opened just now. Events never precede
// their e-mail, so e-mails after the cursor are skipped.
export function mailHistoryStatement(
  projectId: string,
  { email, limit, after }: GetMailHistory,
): { sql: string; parameters: unknown[] } {
  const location = after
    ? { made: 'AND created_at <= $4', before: 'WHERE (h.at, h.id) < ($4::timestamptz, $5::uuid)' }
    : { made: '', before: '' };
  return {
    sql: `SELECT h.id, h.at, h.kind, e.id AS "emailId", e.subject, h.detail, h.link
      FROM (SELECT id, subject, created_at, complained_at FROM emails
            WHERE project_id = $1 AND to_email = $2 AND status <> 'VOIDED' ${location.made}) AS e
      CROSS JOIN LATERAL (
        ${occurrences}
      ) AS h
      ${location.before} ORDER BY h.at DESC, h.id DESC LIMIT $3`,
    parameters: [projectId, email, limit, ...(after ? [after.at, after.id] : [])],
  };
}

const published = (kinds: Record<string, string | null>): [string, string | null][] =>
  Object.entries(kinds).filter(([, kind]) => kind !== null);
const reportedStatuses = published(byStatus)
  .map(([status]) => `'${status}'`)
  .join(', ');

function kindOf(column: string, kinds: Record<string, string | null>): string {
  const cases = published(kinds).map(([value, kind]) => `WHEN '${value}' THEN '${kind}'`);
  return `CASE ${column} ${cases.join(' ')} END`;
}

const occurrences = `
  SELECT e.id, e.created_at AS at, 'email.accepted' AS kind, NULL AS detail, NULL AS link
  UNION ALL
  SELECT md5('complained ' || e.id)::uuid, e.complained_at, 'email.complained', NULL, NULL WHERE e.complained_at IS NOT NULL
  UNION ALL
  SELECT v.id, v.at, CASE v.kind WHEN 'SOFT_BOUNCED' THEN 'email.bounced' ELSE ${kindOf('v.status', byStatus)} END, v.detail, NULL FROM email_events v
  WHERE v.project_id = $1 AND v.email_id = e.id AND v.recipient = $2 AND v.status IN (${reportedStatuses}) AND v.kind IS DISTINCT FROM 'COMPLAINED'
    -- Told by our own hand-off and by the provider, or by two of them.
    AND NOT (v.status IN ('SENT', 'DELIVERED') AND EXISTS (
      SELECT FROM email_events f WHERE f.project_id = $1 AND f.email_id = e.id AND f.recipient = $2 AND f.status = v.status
        AND f.kind IS DISTINCT FROM 'COMPLAINED' AND (f.at, f.id) < (v.at, v.id)))
  UNION ALL
  SELECT g.id, g.at, ${kindOf('g.kind', byEngagement)}, NULL, g.url FROM engagements g
  WHERE g.project_id = $1 AND g.email_id = e.id AND g.position = 0 AND g.machine IS NULL`;
