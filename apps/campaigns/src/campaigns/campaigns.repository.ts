import {
  campaignNotFound,
  maxListUses,
  maxSegmentUses,
  type CampaignFilter,
  type CampaignStatus,
  type ListCampaigns,
} from '@posthorn/contracts';
import {
  CountedRepository,
  escapeLike,
  keysetCondition,
  maxPageBytes,
  pageLimit,
  toPage,
  totalCap,
  type Database,
  type Page,
} from '@posthorn/database';
import { CampaignRow } from './campaign.entity.js';

const columns = `project_id AS "projectId", id, name, description, subject, body, template_id AS "templateId", from_email AS "from",
  from_name AS "fromName", reply_to AS "replyTo", email_category AS "emailCategory", audience_type AS "audienceType",
  audience_condition AS "audienceCondition", segment_id AS "segmentId", list_id AS "listId", exclude_segment_ids AS "excludeSegmentIds",
  exclude_list_ids AS "excludeListIds", topic_id AS "topicId", send_rate AS "sendRate", variants, test, timing, resend_of_id AS "resendOfId", status,
  paused_reason AS "pausedReason", scheduled_from AS "scheduledFrom", scheduled_at AS "scheduledAt",
  sent_at AS "sentAt", seq, created_at AS "createdAt", updated_at AS "updatedAt"`;

const matching = `project_id = $1 AND ($2::text IS NULL OR status = $2) AND ($3::text IS NULL OR name ILIKE $3)`;

const filterOf = ({ status, search }: CampaignFilter): unknown[] => [
  status ?? null,
  search === undefined ? null : `%${escapeLike(search)}%`,
];

export class CampaignsRepository extends CountedRepository<CampaignRow> {
  constructor(database: Database) {
    super(database, CampaignRow, campaignNotFound);
  }

  /** Bodies are large, so rows beyond a full page are not read. */
  async list(projectId: string, request: ListCampaigns): Promise<Page<CampaignRow>> {
    const keyset = keysetCondition(request.after, 5);
    const rows = await this.database.query<CampaignRow>(
      `SELECT ${columns} FROM (
         SELECT *, sum(octet_length(body)) OVER (ORDER BY created_at DESC, id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
         FROM campaigns WHERE ${matching} ${keyset.sql} ORDER BY created_at DESC, id DESC LIMIT $4
       ) AS page WHERE coalesce(before, 0) <= ${maxPageBytes} ORDER BY created_at DESC, id DESC`,
      [projectId, ...filterOf(request), pageLimit(request) + 1, ...keyset.parameters],
    );
    return toPage(
      rows.map((row) => Object.assign(new CampaignRow(), row)),
      request,
    );
  }

  async beingSent(projectId: string): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `SELECT id FROM campaigns WHERE project_id = $1 AND status = 'SENDING' ORDER BY id`,
      [projectId],
    );
    return rows.map(({ id }) => id);
  }

  async statusForShare(projectId: string, id: string): Promise<CampaignStatus | null> {
    const [row] = await this.database.query<{ status: CampaignStatus }>(
      `SELECT status FROM campaigns WHERE project_id = $1 AND id = $2 FOR SHARE`,
      [projectId, id],
    );
    return row?.status ?? null;
  }

  async countMatches(projectId: string, filter: CampaignFilter): Promise<number> {
    const [counted] = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM (SELECT 1 FROM campaigns WHERE ${matching} LIMIT ${totalCap + 1}) AS capped`,
      [projectId, ...filterOf(filter)],
    );
    return counted!.count;
  }

  async sendsFrom(projectId: string, domain: string): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT 1 FROM (
         SELECT coalesce(c.from_email, c.scheduled_from, l.from_email) AS sender
         FROM campaigns c LEFT JOIN launches l ON l.project_id = c.project_id AND l.campaign_id = c.id
         WHERE c.project_id = $1 AND c.status IN ('DRAFT', 'SCHEDULED', 'SENDING', 'PAUSED')
       ) AS unsent WHERE split_part(sender, '@', 2) = $2 OR right(sender, length($2) + 1) = '.' || $2 LIMIT 1`,
      [projectId, domain],
    );
    return rows.length > 0;
  }

  async unsentTo(projectId: string, segmentId: string): Promise<string[]> {
    const rows = await this.database.query<{ name: string }>(
      `SELECT name FROM campaigns WHERE project_id = $1 AND status NOT IN ('SENT', 'CANCELLED')
         AND (segment_id = $2 OR $2 = ANY (exclude_segment_ids) OR strpos(audience_condition::text, 'segment.' || $2::text) > 0) ORDER BY name LIMIT ${maxSegmentUses}`,
      [projectId, segmentId],
    );
    return rows.map(({ name }) => name);
  }

  async unsentToList(projectId: string, listId: string): Promise<string[]> {
    const rows = await this.database.query<{ name: string }>(
      `SELECT name FROM campaigns WHERE project_id = $1 AND status NOT IN ('SENT', 'CANCELLED')
         AND (list_id = $2 OR $2 = ANY (exclude_list_ids) OR strpos(audience_condition::text, 'list.' || $2::text) > 0) ORDER BY name LIMIT ${maxListUses}`,
      [projectId, listId],
    );
    return rows.map(({ name }) => name);
  }

  async anyUnsentBy(projectId: string, templateId: string): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT 1 FROM campaigns WHERE project_id = $1 AND template_id = $2 AND status NOT IN ('SENT', 'CANCELLED') LIMIT 1`,
      [projectId, templateId],
    );
    return rows.length > 0;
  }

  lockContaining(
    projectId: string,
    pattern: string,
  ): Promise<Pick<CampaignRow, 'id' | 'audienceCondition'>[]> {
    return this.database.query(
      `SELECT id, audience_condition AS "audienceCondition" FROM campaigns WHERE project_id = $1 AND audience_condition::text ~* $2 ORDER BY id FOR UPDATE`,
      [projectId, pattern],
    );
  }

  async rewriteAudiences(
    projectId: string,
    rows: readonly Pick<CampaignRow, 'id' | 'audienceCondition'>[],
  ): Promise<void> {
    await this.database.query(
      `UPDATE campaigns SET audience_condition = given.condition::jsonb FROM unnest($2::uuid[], $3::text[]) AS given (id, condition)
       WHERE project_id = $1 AND campaigns.id = given.id`,
      [
        projectId,
        rows.map(({ id }) => id),
        rows.map(({ audienceCondition }) => JSON.stringify(audienceCondition)),
      ],
    );
  }
}
