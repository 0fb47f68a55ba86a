import { emailEvents, type HandOverCampaignMail } from '@posthorn/contracts';
import { columnsOf, type Database } from '@posthorn/database';
import { packedOutboxInsert } from '@posthorn/messaging';
import { deliveryWindowHours, lanes } from '../delivery/delivery-states.js';
import { countedDestinationOf, storedDestinationSql } from '../pacing/destination.js';
import { CampaignContentRow } from './campaign-content.entity.js';

type Recipient = HandOverCampaignMail['recipients'][number];

const recipients = columnsOf<Recipient>([
  { column: 'id', type: 'uuid', value: ({ id }) => id },
  { column: 'contact_id', type: 'uuid', value: ({ contactId }) => contactId },
  { column: 'email', type: 'text', value: ({ email }) => email },
  { column: 'destination', type: 'text', value: ({ email }) => countedDestinationOf(email) },
  { column: 'due_at', type: 'timestamptz', value: ({ dueAt }) => dueAt ?? null },
  { column: 'quiet_from', type: 'timestamptz', value: ({ quiet }) => quiet?.from ?? null },
  { column: 'quiet_seconds', type: 'int', value: ({ quiet }) => quiet?.seconds ?? null },
  { column: 'quiet_shift_at', type: 'timestamptz', value: ({ quiet }) => quiet?.shiftAt ?? null },
  { column: 'quiet_shift_seconds', type: 'int', value: ({ quiet }) => quiet?.shiftSeconds ?? null },
]);

export interface HandedOver {
  accepted: number;
  isKnown: boolean;
  /** E-mails of people who were erased meanwhile; they are not sent. */
  erased: string[];
}

export class CampaignMailRepository {
  constructor(private readonly database: Database) {}

  async addContent(row: Omit<CampaignContentRow, 'createdAt'>): Promise<void> {
    await this.database.manager
      .createQueryBuilder()
      .insert()
      .into(CampaignContentRow)
      .values(row as object)
      .orIgnore()
      .execute();
  }

  content(projectId: string, id: string): Promise<CampaignContentRow | null> {
    return this.database.manager.findOneBy(CampaignContentRow, { projectId, id });
  }

  /** One statement, and one commit. `isKnown` is false where the content is not. */
  async handOver(
    projectId: string,
    { campaignId, contentId, recipients: given }: HandOverCampaignMail,
    trace: string | null,
  ): Promise<HandedOver> {
    const [row] = await this.database.prepared<HandedOver>({
      name: 'hand-over-campaign-mail',
      sql: handOverSql,
      parameters: [projectId, campaignId, contentId, trace, ...recipients.values(given)],
    });
    return row!;
  }
}

const publishesAccepted = packedOutboxInsert(`
  SELECT project_id, '${emailEvents.accepted.name}' AS name, $4::text AS trace, row_number() OVER (ORDER BY id) AS row_index,
    jsonb_build_object('emailId', id, 'to', to_email, 'from', from_email, 'contactId', contact_id, 'at', created_at, 'sourceType', source_type,
      'campaignId', $2::uuid) AS item
  FROM email`);

/** Rows are inserted in the order of their ids: of two transactions with the same ids one waits, and there is no deadlock. */
const handOverSql = `
  WITH requested AS (
    SELECT * FROM ${recipients.unnest('r', 5)}
  ), content AS (
    SELECT * FROM campaign_contents WHERE project_id = $1 AND id = $3
  ), email AS (
    INSERT INTO emails (project_id, id, content_id, contact_id, campaign_id, source_type, from_email, from_name, to_email, subject, status, tags, metadata,
                        category, template_id, scheduled_at, accepted_by, destination)
    SELECT c.project_id, r.id, c.id, r.contact_id, $2::uuid, 'CAMPAIGN', c.from_email, c.from_name, r.email, c.subject, 'PENDING', '{}', '{}',
           c.category, c.template_id, CASE WHEN r.due_at > now() THEN r.due_at END, c.accepted_by, ${storedDestinationSql('r.destination', 'r.email')}
    FROM requested r, content c
    WHERE NOT EXISTS (SELECT FROM erased_addresses erased WHERE erased.project_id = $1 AND erased.contact_id = r.contact_id)
    ORDER BY r.id
    ON CONFLICT DO NOTHING
    RETURNING project_id, id, contact_id, from_email, to_email, source_type, created_at, category, coalesce(scheduled_at, created_at) AS due_at
  ), stored AS (
    -- Its partition may have been dropped since the campaign was launched.
    INSERT INTO email_contents (project_id, id, html, reply_to, template_id, template_version, liquid, subject, from_name, list_id, topic_id, data, snippets, track_opens, track_clicks)
    SELECT project_id, id, html, reply_to, template_id, template_version, liquid, subject, CASE WHEN liquid THEN from_name END, list_id, topic_id, '{}', coalesce(snippets, '{}'), track_opens, track_clicks
    FROM content
    ON CONFLICT DO NOTHING
  ), delivery AS (
    INSERT INTO deliveries (project_id, email_id, position, recipient, lane, state, due_at, expires_at, bytes, trace, campaign_id, quiet_from, quiet_seconds, quiet_shift_at, quiet_shift_seconds)
    SELECT e.project_id, e.id, 0, e.to_email, ${lanes.bulk},
           'QUEUED', e.due_at, e.due_at + make_interval(hours => ${deliveryWindowHours}), length(c.html), $4::text, $2::uuid, r.quiet_from, r.quiet_seconds, r.quiet_shift_at, r.quiet_shift_seconds
    FROM email e JOIN requested r USING (id), content c
  ), kept_back AS MATERIALIZED (
    -- Each by its key: the index of all mail that waits could be scanned for them instead.
    SELECT r.id, r.due_at FROM requested r, LATERAL (
      SELECT d.state, d.campaign_id, d.due_at, d.waits_for_next_period FROM deliveries d
      WHERE d.project_id = $1 AND d.email_id = r.id AND d.position = 0 OFFSET 0
    ) AS kept WHERE kept.campaign_id = $2 AND kept.state = 'QUEUED' AND kept.due_at > now() AND (
      kept.waits_for_next_period
      -- What is to leave later ends now.
      OR EXISTS (SELECT FROM campaign_states s WHERE s.project_id = $1 AND s.campaign_id = $2 AND s.state = 'CANCELLED'))
  ), due_again AS (
    -- It was kept back while the campaign was paused.
    UPDATE deliveries d SET due_at = greatest(now(), r.due_at), expires_at = greatest(now(), r.due_at) + make_interval(hours => ${deliveryWindowHours})
    FROM kept_back r
    WHERE d.project_id = $1 AND d.email_id = r.id AND d.position = 0 AND d.state = 'QUEUED'
  ), event AS (
    ${publishesAccepted}
  )
  SELECT (SELECT count(*) FROM email)::int AS accepted, EXISTS (SELECT FROM content) AS "isKnown",
    ARRAY(SELECT r.id FROM requested r JOIN erased_addresses erased ON erased.project_id = $1 AND erased.contact_id = r.contact_id) AS erased`;
