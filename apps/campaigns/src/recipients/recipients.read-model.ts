import {
  campaignNotFound,
  type CampaignReport,
  type CampaignStats,
  type RecipientOutcome,
  type CampaignFailure,
  type CampaignRecipient,
  type FailurePage,
  type ListFailures,
  type ListRecipients,
  type WinnerDecision,
} from '@posthorn/contracts';
import { type Database, pageLimit } from '@posthorn/database';
import type { CountsOfVariant } from '../variants/winner.js';
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

export type StoredRecipient = Omit<CampaignRecipient, 'variant'> & { variant: number | null };
type Listed = StoredRecipient & { id: string };

const pageColumns = `email_id AS id, contact_id AS "contactId", email, outcome, reason, variant, CASE WHEN handed_over OR outcome = 'SENT' THEN email_id END AS "emailId", at`;

/** Pages of the ledger; the last who got a row first. */
export class RecipientPages {
  constructor(private readonly database: Database) {}

  async page(
    projectId: string,
    { id: campaignId, outcome, reason, ...page }: ListRecipients,
  ): Promise<LedgerPage<StoredRecipient>> {
    const rows = await this.database.query<Listed>(
      `SELECT ${pageColumns} FROM recipients
       WHERE project_id = $1 AND campaign_id = $2 AND ($3::text IS NULL OR outcome = $3) AND ($4::text IS NULL OR reason = $4)
         AND ($5::uuid IS NULL OR email_id < $5)
       ORDER BY email_id DESC LIMIT $6`,
      [projectId, campaignId, outcome ?? null, reason ?? null, page.after?.id ?? null, pageLimit(page) + 1],
    );
    return toLedgerPage(rows, page, ({ id: _, ...shown }) => shown);
  }

  async count(
    projectId: string,
    { id: campaignId, outcome, reason }: Pick<ListRecipients, 'id' | 'outcome' | 'reason'>,
    most: number,
  ): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM (
         SELECT 1 FROM recipients WHERE project_id = $1 AND campaign_id = $2 AND ($3::text IS NULL OR outcome = $3) AND reason = $4 LIMIT $5
       ) AS counted`,
      [projectId, campaignId, outcome ?? null, reason ?? null, most],
    );
    return row!.count;
  }

  async find(projectId: string, campaignId: string, contactId: string): Promise<StoredRecipient | null> {
    const [row] = await this.database.query<Listed>(
      `SELECT ${pageColumns} FROM recipients WHERE project_id = $1 AND campaign_id = $2 AND contact_id = $3`,
      [projectId, campaignId, contactId],
    );
    if (!row) return null;
    const { id: _, ...shown } = row;
    return shown;
  }

  async failures(projectId: string, { id: campaignId, ...page }: ListFailures): Promise<FailurePage> {
    const rows = await this.database.query<CampaignFailure>(
      `SELECT email_id AS id, contact_id AS "contactId", email, reason, at AS "failedAt" FROM recipients
       WHERE project_id = $1 AND campaign_id = $2 AND outcome = 'FAILED' AND ($3::uuid IS NULL OR email_id < $3)
       ORDER BY email_id DESC LIMIT $4`,
      [projectId, campaignId, page.after?.id ?? null, pageLimit(page) + 1],
    );
    return toLedgerPage(rows, page, (row) => row);
  }
}

interface LedgerPage<Shown> {
  items: Shown[];
  hasMore: boolean;
  next: { at: Date; id: string } | null;
}

/** The ids of e-mails alone give the order; the instant of a position is not used. */
function toLedgerPage<Row extends { id: string }, Shown>(
  rows: readonly Row[],
  page: Parameters<typeof pageLimit>[0],
  shown: (row: Row) => Shown,
): LedgerPage<Shown> {
  const items = rows.slice(0, pageLimit(page));
  const hasMore = rows.length > items.length;
  return {
    items: items.map(shown),
    hasMore,
    next: hasMore ? { at: new Date(0), id: items.at(-1)!.id } : null,
  };
}

export class VariantCounts {
  constructor(private readonly database: Database) {}

  async of(projectId: string, campaignId: string, size: number): Promise<CountsOfVariant[]> {
    const rows = await this.database.query<CountsOfVariant & { variant: number }>(
      `SELECT variant, recipients, sent, opened, clicked FROM variant_counts WHERE project_id = $1 AND campaign_id = $2`,
      [projectId, campaignId],
    );
    const known = new Map(rows.map(({ variant, ...counts }) => [variant, counts]));
    return Array.from(
      { length: size },
      (_, variant) => known.get(variant) ?? { recipients: 0, sent: 0, opened: 0, clicked: 0 },
    );
  }

  async decision(
    projectId: string,
    campaignId: string,
  ): Promise<{ winner: number | null; decidedBy: WinnerDecision | null }> {
    const [row] = await this.database.query<{ winner: number | null; decidedBy: WinnerDecision | null }>(
      `SELECT winner, decided_by AS "decidedBy" FROM launches WHERE project_id = $1 AND campaign_id = $2`,
      [projectId, campaignId],
    );
    return row ?? { winner: null, decidedBy: null };
  }
}
