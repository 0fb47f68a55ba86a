import { Injectable } from '@nestjs/common';
import type { Campaign } from '@posthorn/contracts';
import { CampaignCounts } from '../recipients/recipients.read-model.js';
import type { CampaignRow } from './campaign.entity.js';

@Injectable()
export class CampaignViews {
  constructor(private readonly counts: CampaignCounts) {}

  async one(row: CampaignRow): Promise<Campaign> {
    return (await this.all(row.projectId, [row]))[0]!;
  }

  async all(projectId: string, rows: readonly CampaignRow[]): Promise<Campaign[]> {
    const launched = rows.filter(({ status }) => status !== 'DRAFT' && status !== 'SCHEDULED');
    const counts = await this.counts.of(
      projectId,
      launched.map(({ id }) => id),
    );
    return rows.map((row) => row.toCampaign(counts.get(row.id)));
  }
}
