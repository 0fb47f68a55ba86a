import type { Email, EmailEvent, EmailFilter, EmailStatus, SourceType } from '@posthorn/contracts';
import {
  keysetCondition,
  newId,
  pageLimit,
  toPage,
  type Database,
  type Page,
  type PageRequest,
} from '@posthorn/database';

// A PENDING e-mail in hand-off is SENDING (docs/guarantees.md §3). A scalar subquery, because Postgres answers EXISTS with a scan of a long queue.
const statusSql = `CASE WHEN e.status = 'PENDING' AND (
    SELECT d.state FROM deliveries d WHERE d.project_id = e.project_id AND d.email_id = e.id AND d.position = 0
  ) IN ('HANDOFF', 'AMBIGUOUS') THEN 'SENDING' ELSE e.status END`;

// Few messages are in hand-off at any time, and partial indexes hold only those.
const inHandOffSql = `SELECT d.email_id FROM deliveries d WHERE d.project_id = $1 AND d.state = 'HANDOFF'
  UNION ALL SELECT d.email_id FROM deliveries d WHERE d.project_id = $1 AND d.state = 'AMBIGUOUS'`;

const columns = `e.id, e.project_id AS "projectId", e.from_email AS "from", e.to_email AS "to", e.subject, ${statusSql} AS status,
  e.failure_kind AS "failureKind", e.error, e.contact_id AS "contactId", e.campaign_id AS "campaignId", e.tags, e.metadata, e.sent_at AS "sentAt", e.delivered_at AS "deliveredAt",
  e.bounced_at AS "bouncedAt", e.opened_at AS "openedAt", e.clicked_at AS "clickedAt", e.complained_at AS "complainedAt",
  e.opens, e.clicks, e.scheduled_at AS "scheduledAt", e.created_at AS "createdAt", e.updated_at AS "updatedAt"`;

export class EmailsRepository {
  constructor(private readonly database: Database) {}

  async find(projectId: string, id: string): Promise<Email | null> {
    const [row] = await this.database.query<Email>(
      `SELECT ${columns} FROM emails e WHERE e.project_id = $1 AND e.id = $2 AND e.status <> 'VOIDED'`,
      [projectId, id],
    );
    return row ?? null;
  }

  /** Acceptance is the first event and has no row of its own. */
  async historyOf({ projectId, id, to, createdAt }: Email): Promise<EmailEvent[]> {
    const accepted: EmailEvent = {
      id,
      status: 'PENDING',
      timestamp: createdAt,
      recipient: to,
      detail: null,
      source: null,
      kind: null,
    };
    const later = await this.database.query<EmailEvent>(
      `SELECT id, status, at AS timestamp, recipient, detail, source, kind FROM email_events WHERE project_id = $1 AND email_id = $2 ORDER BY at, id`,
      [projectId, id],
    );
    return [accepted, ...later];
  }

  async page(projectId: string, request: PageRequest & EmailFilter): Promise<Page<Email>> {
    const parameters: unknown[] = [projectId];
    const conditions = filters
      .filter(([name]) => request[name] !== undefined)
      .map(([name, sql]) => {
        parameters.push(request[name]);
        return sql(parameters.length, request[name]);
      });
    const keyset = keysetCondition(request.after, parameters.length + 1, 'e');
    parameters.push(...keyset.parameters, pageLimit(request) + 1);
    const rows = await this.database.query<Email>(
      `SELECT ${columns} FROM emails e WHERE e.project_id = $1 AND e.status <> 'VOIDED' ${conditions.join(' ')} ${keyset.sql}
       ORDER BY e.created_at DESC, e.id DESC LIMIT $${parameters.length}`,
      parameters,
    );
    return toPage(rows, request);
  }

  /** Cancels the e-mail and its copies before their hand-off; returns its source, or null where nothing could be cancelled. */
  async cancel(projectId: string, id: string, { scheduledOnly = false } = {}): Promise<SourceType | null> {
    const [cancelled] = await this.database.query<{ sourceType: SourceType }>(
      `WITH waiting AS (
         SELECT d.email_id FROM deliveries d JOIN emails e ON e.project_id = d.project_id AND e.id = d.email_id
         WHERE d.project_id = $1 AND d.email_id = $2 AND d.position = 0 AND d.state IN ('QUEUED', 'HELD', 'CLAIMED')
           AND (NOT $4 OR e.scheduled_at > now()) FOR UPDATE OF d
       ), cancelled AS (
         UPDATE deliveries d SET state = 'CANCELLED' FROM waiting
         WHERE d.project_id = $1 AND d.email_id = waiting.email_id AND d.state IN ('QUEUED', 'HELD', 'CLAIMED') RETURNING d.position, d.recipient
       ), event AS (
         INSERT INTO email_events (project_id, email_id, id, status, recipient)
         SELECT $1, $2, $3, 'CANCELLED', recipient FROM cancelled WHERE position = 0
       )
       UPDATE emails SET status = 'CANCELLED', failure_kind = 'cancelled', updated_at = now()
       WHERE project_id = $1 AND id = $2 AND EXISTS (SELECT 1 FROM cancelled WHERE position = 0) RETURNING source_type AS "sourceType"`,
      [projectId, id, newId(), scheduledOnly],
    );
    return cancelled?.sourceType ?? null;
  }
}

const filters: [keyof EmailFilter, (parameter: number, value: unknown) => string][] = [
  ['tag', (n) => `AND e.tags <> '{}' AND e.tags @> ARRAY[$${n}::text]`],
  ['status', statusFilter],
  ['from', (n) => `AND e.from_email = $${n}`],
  ['to', (n) => `AND e.to_email = $${n}`],
  ['createdAfter', (n) => `AND e.created_at > $${n}`],
  ['createdBefore', (n) => `AND e.created_at < $${n}`],
];

const defaultStatuses: ReadonlySet<unknown> = new Set<EmailStatus>(['PENDING', 'SENT', 'DELIVERED']);

function statusFilter(parameter: number, status: unknown): string {
  if (status === 'SENDING')
    return `AND $${parameter} = 'SENDING' AND e.status = 'PENDING' AND e.id = ANY (ARRAY(${inHandOffSql}))`;
  if (!defaultStatuses.has(status)) return `AND e.unusual_status = $${parameter}`;
  return `AND e.status = $${parameter} ${status === 'PENDING' ? `AND e.id <> ALL (ARRAY(${inHandOffSql}))` : ''}`;
}
