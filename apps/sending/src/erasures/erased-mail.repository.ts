import type { Database } from '@posthorn/database';
import { without } from './address-pattern.js';
import { isOfPerson, type Erased } from './erased-addresses.repository.js';

export interface NamingEmail {
  id: string;
  contentId: string;
  createdAt: Date;
  /** 0 where the e-mail itself is to the person; otherwise the index of the copy. */
  position: number;
}

/** While a delivery is unfinished, its outcome may still write the address. */
const isOpen = `state IN ('QUEUED', 'HELD', 'CLAIMED', 'HANDOFF', 'AMBIGUOUS')`;
const contentColumns = ['html', 'text', 'subject', 'from_name'];
const contentJson = ['reply_to', 'headers', 'data', 'attachments'];

/** By which a rebuild of the counters finds the workflow; its execution would lead to the person. */
const idsOfWorkflow = `CASE source_type WHEN 'WORKFLOW' THEN
  jsonb_strip_nulls(jsonb_build_object('workflowId', metadata->'workflowId', 'stepId', metadata->'stepId')) ELSE '{}' END`;

/** Rewrites stored mail of one person. Each statement selects only rows that still contain the address, so it can be repeated. */
export class ErasedMailRepository {
  constructor(private readonly database: Database) {}

  /** Mail of campaigns may have been handed over after the contact was deleted. */
  async to({ projectId, email, contactId, erasedAt }: Erased, limit: number): Promise<NamingEmail[]> {
    return this.database.query<NamingEmail>(
      `SELECT id, content_id AS "contentId", created_at AS "createdAt", 0 AS position FROM emails
       WHERE project_id = $1 AND to_email = $2 AND ${isOfPerson} ORDER BY created_at DESC, id DESC LIMIT $3`,
      [projectId, email, limit, erasedAt, contactId],
    );
  }

  /** Deliveries outlive their e-mails. */
  async copiesTo({ projectId, email, erasedAt }: Erased, limit: number): Promise<NamingEmail[]> {
    return this.database.query<NamingEmail>(
      `SELECT d.email_id AS id, coalesce(e.content_id, d.email_id) AS "contentId", coalesce(e.created_at, now()) AS "createdAt", d.position
       FROM deliveries d LEFT JOIN emails e ON e.project_id = $1 AND e.id = d.email_id
       WHERE d.project_id = $1 AND d.recipient = $2 AND d.position > 0 AND coalesce(e.created_at <= $4, true) ORDER BY d.email_id LIMIT $3`,
      [projectId, email, limit, erasedAt],
    );
  }

  /** An e-mail to the person waits for all its deliveries, a copy only for its own. */
  async open({ projectId }: Erased, mails: readonly NamingEmail[]): Promise<Set<string>> {
    const rows = await this.database.query<{ id: string }>(
      `SELECT DISTINCT d.email_id AS id FROM unnest($2::uuid[], $3::int[]) AS m (id, position)
       JOIN deliveries d ON d.project_id = $1 AND d.email_id = m.id AND (m.position = 0 OR d.position = m.position) WHERE d.${isOpen}`,
      [projectId, mails.map(({ id }) => id), mails.map(({ position }) => position)],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Reports about mail that has ended write its history under this lock: afterwards they find the hash of the address. */
  async lockDeliveries({ projectId }: Erased, ids: readonly string[]): Promise<void> {
    await this.database.query(
      `SELECT 1 FROM deliveries WHERE project_id = $1 AND email_id = ANY ($2::uuid[]) ORDER BY email_id, position FOR UPDATE`,
      [projectId, ids],
    );
  }

  async rewriteEvents(
    { projectId, email, hash, pattern }: Erased,
    ids: string[],
    limit: number,
  ): Promise<number> {
    const rows = await this.database.query(
      `UPDATE email_events v
       SET recipient = CASE v.recipient WHEN $3 THEN $5 ELSE v.recipient END,
           detail = CASE WHEN v.recipient <> $3 THEN ${without('v.detail', '$4', '$5')} END
       FROM (SELECT email_id, id FROM email_events
             WHERE project_id = $1 AND email_id = ANY ($2::uuid[]) AND (recipient = $3 OR detail ~* $4) LIMIT $6) AS found
       WHERE v.project_id = $1 AND v.email_id = found.email_id AND v.id = found.id RETURNING 1`,
      [projectId, ids, email, pattern, hash, limit],
    );
    return rows.length;
  }

  async rewriteEngagements(
    { projectId, hash, pattern }: Erased,
    mails: readonly NamingEmail[],
    limit: number,
  ): Promise<number> {
    const rows = await this.database.query(
      `UPDATE engagements g
       SET url = ${without('g.url', '$4', '$5')}, user_agent = CASE WHEN g.position <> found.erased THEN g.user_agent END
       FROM (SELECT s.email_id, s.id, m.position AS erased FROM unnest($2::uuid[], $3::int[]) AS m (id, position)
             JOIN engagements s ON s.project_id = $1 AND s.email_id = m.id
             WHERE s.url ~* $4 OR (s.position = m.position AND s.user_agent IS NOT NULL) LIMIT $6) AS found
       WHERE g.project_id = $1 AND g.email_id = found.email_id AND g.id = found.id RETURNING 1`,
      [projectId, mails.map(({ id }) => id), mails.map(({ position }) => position), pattern, hash, limit],
    );
    return rows.length;
  }

  async removeFiles(
    { projectId, email }: Erased,
    mails: readonly NamingEmail[],
    limit: number,
  ): Promise<number> {
    const rows = await this.database.query(
      `DELETE FROM email_attachments a
       USING (SELECT f.content_id, f.position, f.chunk FROM unnest($2::uuid[], $3::timestamptz[]) AS m (content_id, created_at)
              JOIN email_attachments f ON f.project_id = $1 AND f.content_id = m.content_id
              WHERE NOT EXISTS (${heldBy('m', 'AND e.to_email <> $4')}) LIMIT $5) AS found
       WHERE a.project_id = $1 AND a.content_id = found.content_id AND a.position = found.position AND a.chunk = found.chunk RETURNING 1`,
      [projectId, ...contentsOf(mails), email, limit],
    );
    return rows.length;
  }

  /** Receipts of idempotency keys, which were written in the same commit. A key that contains the address is deleted. */
  async rewriteReceipts({ projectId, hash, pattern }: Erased, mails: readonly NamingEmail[]): Promise<void> {
    await this.database.query(
      `UPDATE idempotency_keys SET receipt = ${without('receipt::text', '$3', '$4')}::jsonb,
         key = CASE WHEN key ~* $3 THEN gen_random_uuid()::text ELSE key END
       WHERE created_at = ANY ($2::timestamptz[]) AND project_id = $1 AND (receipt::text ~* $3 OR key ~* $3)`,
      [projectId, mails.map(({ createdAt }) => createdAt), pattern, hash],
    );
  }

  /** Keeps the e-mails under the hash and removes their content, unless it was also sent to others. */
  async rewriteMails(erased: Erased, mails: readonly NamingEmail[]): Promise<void> {
    const { projectId, email, hash } = erased;
    const ids = mails.map(({ id }) => id);
    await this.database.query(
      `WITH held AS MATERIALIZED (SELECT id FROM emails WHERE project_id = $1 AND id = ANY ($2::uuid[]) AND to_email = $3 ORDER BY id FOR UPDATE)
       UPDATE emails e
       SET to_email = $4, to_name = NULL, provider_message_id = NULL, subject = '', metadata = ${idsOfWorkflow}, error = NULL, content_id = gen_random_uuid(),
           from_email = CASE e.from_email WHEN $3 THEN $4 ELSE e.from_email END, from_name = CASE WHEN e.from_email <> $3 AND NOT ${hasRenderedSender('e')} THEN e.from_name END
       FROM held WHERE e.project_id = $1 AND e.id = held.id`,
      [projectId, ids, email, hash],
    );
    await this.database.query(
      `DELETE FROM email_contents k USING unnest($2::uuid[], $3::timestamptz[]) AS m (content_id, created_at)
       WHERE k.project_id = $1 AND k.id = m.content_id AND NOT EXISTS (${heldBy('m')}) AND NOT ${isCampaignContent('k')}`,
      [projectId, ...contentsOf(mails)],
    );
    await this.rewriteContents(erased, mails);
    await this.database.query(
      `UPDATE deliveries SET recipient = $4, variables = NULL
       WHERE project_id = $1 AND email_id = ANY ($2::uuid[]) AND position = 0 AND recipient = $3`,
      [projectId, ids, email, hash],
    );
  }

  async rewriteCopies(erased: Erased, mails: readonly NamingEmail[]): Promise<void> {
    const { projectId, email, hash, pattern } = erased;
    const ids = mails.map(({ id }) => id);
    await this.database.query(
      `WITH held AS MATERIALIZED (SELECT id FROM emails WHERE project_id = $1 AND id = ANY ($2::uuid[])
         AND (header_recipients::text ~* $4 OR subject ~* $4 OR metadata::text ~* $4 OR error ~* $4) ORDER BY id FOR UPDATE)
       UPDATE emails e
       SET header_recipients = ${headerRecipientsWithout}, subject = ${without('e.subject', '$4', '$5')}, error = ${without('e.error', '$4', '$5')},
           metadata = ${without('e.metadata::text', '$4', '$5')}::jsonb
       FROM held WHERE e.project_id = $1 AND e.id = held.id`,
      [projectId, ids, email, pattern, hash],
    );
    await this.rewriteContents(erased, mails);
    await this.database.query(
      `UPDATE deliveries SET recipient = CASE recipient WHEN $3 THEN $5 ELSE recipient END, variables = ${without('variables::text', '$4', '$5')}::jsonb
       WHERE project_id = $1 AND email_id = ANY ($2::uuid[]) AND (recipient = $3 OR variables::text ~* $4)`,
      [projectId, ids, email, pattern, hash],
    );
  }

  private async rewriteContents(
    { projectId, hash, pattern }: Erased,
    mails: readonly NamingEmail[],
  ): Promise<void> {
    const columns = [
      ...contentColumns.map((column) => `${column} = ${without(column, '$3', '$4')}`),
      ...contentJson.map((column) => `${column} = ${without(`${column}::text`, '$3', '$4')}::jsonb`),
    ];
    const named = [...contentColumns, ...contentJson.map((column) => `${column}::text`)].map(
      (column) => `${column} ~* $3`,
    );
    await this.database.query(
      `UPDATE email_contents k SET ${columns.join(', ')} WHERE project_id = $1 AND id = ANY ($2::uuid[]) AND (${named.join(' OR ')})
         AND NOT ${isCampaignContent('k')}`,
      [projectId, mails.map(({ contentId }) => contentId), pattern, hash],
    );
  }
}

/** Its name may have been rendered from the person's data. */
const hasRenderedSender = (mail: string): string =>
  `EXISTS (SELECT FROM email_contents k WHERE k.project_id = ${mail}.project_id AND k.id = ${mail}.content_id AND k.from_name IS NOT NULL)`;

/** E-mails of one send share a content and their creation time; there is no index by content. */
const heldBy = (mail: string, more = ''): string =>
  `SELECT FROM emails e WHERE e.project_id = $1 AND e.created_at = ${mail}.created_at AND e.content_id = ${mail}.content_id ${more}`;

/** All recipients of a campaign share it, and it says nothing of any of them. */
const isCampaignContent = (content: string): string =>
  `EXISTS (SELECT FROM campaign_contents c WHERE c.project_id = ${content}.project_id AND c.id = ${content}.id)`;

const contentsOf = (mails: readonly NamingEmail[]): unknown[][] => [
  mails.map(({ contentId }) => contentId),
  mails.map(({ createdAt }) => createdAt),
];

/** The display name belongs to the person, too. */
const headerRecipientsWithout = `(
    SELECT jsonb_object_agg(header.key, (
      SELECT jsonb_agg(CASE mailbox->>'email' WHEN $3 THEN jsonb_build_object('email', $5::text) ELSE mailbox END ORDER BY index)
      FROM jsonb_array_elements(header.value) WITH ORDINALITY AS listed (mailbox, index)))
    FROM jsonb_each(e.header_recipients) AS header)`;
