import type { WinnerDecision } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import type { CountsOfVariant } from './winner.js';

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
