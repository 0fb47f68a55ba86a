import type {
  CampaignFailure,
  CampaignRecipient,
  FailurePage,
  ListFailures,
  ListRecipients,
} from '@posthorn/contracts';
import { pageLimit, type Database } from '@posthorn/database';

export type StoredRecipient = Omit<CampaignRecipient, 'variant'> & { variant: number | null };
type Listed = StoredRecipient & { id: string };

const columns = `email_id AS id, contact_id AS "contactId", email, outcome, reason, variant, CASE WHEN handed_over OR outcome = 'SENT' THEN email_id END AS "emailId", at`;

/** Pages of the ledger; the last who got a row first. */
export class RecipientPages {
  constructor(private readonly database: Database) {}

  async page(
    projectId: string,
    { id: campaignId, outcome, reason, ...page }: ListRecipients,
  ): Promise<LedgerPage<StoredRecipient>> {
    const rows = await this.database.query<Listed>(
      `SELECT ${columns} FROM recipients
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
      `SELECT ${columns} FROM recipients WHERE project_id = $1 AND campaign_id = $2 AND contact_id = $3`,
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
