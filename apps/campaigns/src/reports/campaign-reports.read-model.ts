import {
  campaignAnalytics,
  type CampaignOverview,
  type GetTopCampaigns,
  type TimeseriesQuery,
  type TopCampaign,
  type TopCampaigns,
} from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';

const defaultTop = 10;

const rate = (part: string): string => `round(100.0 * n.${part} / n.sent, 1)::float8`;

export class CampaignReports {
  constructor(private readonly database: Database) {}

  @Handles(campaignAnalytics.overview)
  async overview({ caller, body: window }: Incoming<TimeseriesQuery>): Promise<CampaignOverview> {
    const [row] = await this.database.query<Omit<CampaignOverview, 'window'>>(
      `WITH created AS (
         SELECT count(*)::int AS total, (count(*) FILTER (WHERE status IN ('DRAFT', 'SCHEDULED')))::int AS active
         FROM campaigns WHERE project_id = $1 AND created_at BETWEEN $2 AND $3
       ), completed AS (
         SELECT count(*)::int AS completed,
           coalesce(round(avg(100.0 * n.opened / nullif(n.sent, 0)), 1), 0)::float8 AS "averageOpenRate",
           coalesce(round(avg(100.0 * n.clicked / nullif(n.sent, 0)), 1), 0)::float8 AS "averageClickRate"
         FROM campaigns c JOIN campaign_counts n ON n.project_id = c.project_id AND n.campaign_id = c.id
         WHERE c.project_id = $1 AND c.sent_at BETWEEN $2 AND $3
       )
       SELECT * FROM created, completed`,
      [caller.projectId, window.from, window.to],
    );
    return { ...row!, window };
  }

  @Handles(campaignAnalytics.top)
  async top({
    caller,
    body: { limit = defaultTop, ...window },
  }: Incoming<GetTopCampaigns>): Promise<TopCampaigns> {
    const data = await this.database.query<TopCampaign>(
      `SELECT c.id, l.subject, n.sent, n.opened, n.clicked, ${rate('opened')} AS "openRate", ${rate('clicked')} AS "clickRate"
       FROM campaigns c JOIN campaign_counts n ON n.project_id = c.project_id AND n.campaign_id = c.id
       JOIN launches l ON l.project_id = c.project_id AND l.campaign_id = c.id
       WHERE c.project_id = $1 AND c.sent_at BETWEEN $2 AND $3 AND n.sent > 0
       ORDER BY n.opened::float8 / n.sent DESC, c.id DESC LIMIT $4`,
      [caller.projectId, window.from, window.to, limit],
    );
    return { data, window };
  }
}
