import {
  campaignNotFound,
  type CampaignReport,
  type CampaignStats,
  type RecipientOutcome,
} from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import type { CampaignCountRow } from './recipient.entity.js';

type Counts = Omit<CampaignCountRow, 'projectId' | 'campaignId'>;

const columns = `total, in_hand AS "inHand", sent, skipped, failed, delivered, opened, clicked, bounced, complained, unsubscribed`;

/** What servers refused at the hand-off: it bounced and was never sent. */
const refused = `CASE WHEN n.bounced > 0 AND n.failed > 0 THEN (
  SELECT count(*)::int FROM recipients r
  WHERE r.project_id = c.project_id AND r.campaign_id = c.id AND r.reason = 'hard_bounce' AND r.outcome = 'FAILED') ELSE 0 END`;

type CountReport = Omit<CampaignReport, 'variants' | 'winner' | 'decidedBy'>;

export class CampaignCounts {
  constructor(private readonly database: Database) {}

  async of(projectId: string, ids: readonly string[]): Promise<Map<string, CampaignStats>> {
    if (ids.length === 0) return new Map();
    const rows = await this.database.query<Counts & { id: string }>(
      `SELECT campaign_id AS id, ${columns} FROM campaign_counts WHERE project_id = $1 AND campaign_id = ANY ($2::uuid[])`,
      [projectId, ids],
    );
    return new Map(rows.map(({ id, ...counts }) => [id, statsOf(counts)]));
  }

  async now(projectId: string, id: string): Promise<Counts & { now: Date }> {
    const [row] = await this.database.query<Counts & { now: Date }>(
      `SELECT ${columns}, clock_timestamp() AS now FROM campaign_counts WHERE project_id = $1 AND campaign_id = $2`,
      [projectId, id],
    );
    if (!row) throw campaignNotFound();
    return row;
  }

  async ofOutcome(projectId: string, id: string, outcome: RecipientOutcome | undefined): Promise<number> {
    const [row] = await this.database.query<Counts>(
      `SELECT ${columns} FROM campaign_counts WHERE project_id = $1 AND campaign_id = $2`,
      [projectId, id],
    );
    if (!row) return 0;
    const of: Record<RecipientOutcome, number> = {
      QUEUED: queuedOf(row),
      SENT: row.sent,
      SKIPPED: row.skipped,
      FAILED: row.failed,
    };
    return outcome === undefined ? row.total : of[outcome];
  }

  /** Seconds since the launch; all zero before it. */
  async progress(projectId: string, id: string): Promise<{ total: number; done: number; seconds: number }> {
    const [row] = await this.database.query<{ total: number; done: number; seconds: number }>(
      `SELECT n.total, n.sent + n.skipped + n.failed AS done, extract(epoch FROM clock_timestamp() - l.launched_at)::float8 AS seconds
       FROM campaign_counts n JOIN launches l USING (project_id, campaign_id) WHERE project_id = $1 AND campaign_id = $2`,
      [projectId, id],
    );
    return row ?? { total: 0, done: 0, seconds: 0 };
  }

  /** Of a campaign with a timing: until its last recipient is due; 0 once everybody was handed over. */
  async secondsUntilLastDue(projectId: string, campaignId: string): Promise<number> {
    const [row] = await this.database.query<{ seconds: number | null }>(
      `SELECT ceil(extract(epoch FROM max(due_at) - now()))::int AS seconds FROM recipients
       WHERE project_id = $1 AND campaign_id = $2 AND NOT waits_for_winner AND outcome = 'QUEUED' AND NOT handed_over AND due_at IS NOT NULL`,
      [projectId, campaignId],
    );
    return Math.max(0, row?.seconds ?? 0);
  }

  async report(projectId: string, id: string): Promise<CountReport> {
    const [row] = await this.database.query<Partial<Counts & { refused: number }>>(
      `SELECT ${columns}, ${refused} AS refused FROM campaigns c LEFT JOIN campaign_counts n ON n.project_id = c.project_id AND n.campaign_id = c.id
       WHERE c.project_id = $1 AND c.id = $2`,
      [projectId, id],
    );
    return reportOf(row ?? {});
  }
}

export const queuedOf = ({
  total,
  sent,
  skipped,
  failed,
}: Pick<Counts, 'total' | 'sent' | 'skipped' | 'failed'>): number => total - sent - skipped - failed;

const statsOf = ({ total, sent, delivered, opened, clicked, bounced, failed }: Counts): CampaignStats => ({
  totalRecipients: total,
  sent,
  delivered,
  opened,
  clicked,
  bounced,
  failed,
});

const nothing: Counts = {
  total: 0,
  inHand: 0,
  sent: 0,
  skipped: 0,
  failed: 0,
  delivered: 0,
  opened: 0,
  clicked: 0,
  bounced: 0,
  complained: 0,
  unsubscribed: 0,
};

function reportOf({ refused = 0, ...row }: Partial<Counts & { refused: number }>): CountReport {
  const counts = typeof row.total === 'number' ? (row as Counts) : nothing;
  const { sent, skipped, complained, unsubscribed, opened, clicked, bounced, delivered } = counts;
  const rate = (part: number, whole = sent) => (whole === 0 ? 0 : Math.round((1_000 * part) / whole) / 10);
  // Each message counts once, whether its server refused it at once or returned it later.
  const handedOver = sent + refused;
  return {
    ...statsOf(counts),
    complained,
    unsubscribed,
    skipped,
    openRate: rate(opened),
    clickRate: rate(clicked),
    bounceRate: rate(bounced, handedOver),
    deliveryRate: rate(delivered, handedOver),
  };
}
