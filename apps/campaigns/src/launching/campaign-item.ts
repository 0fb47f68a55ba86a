import type { Database } from '@posthorn/database';
import type { WorkBatch } from '@posthorn/work';
import type { CampaignRow } from '../campaigns/campaign.entity.js';
import type { CampaignsRepository } from '../campaigns/campaigns.repository.js';

/** Work of a batch of one, whose key is the campaign: under its lock, and nothing where it was deleted. */
export function withCampaign(
  { database, campaigns }: { database: Database; campaigns: CampaignsRepository },
  batch: WorkBatch,
  work: (row: CampaignRow) => Promise<void>,
): Promise<void> {
  const { projectId, key } = batch.items[0]!;
  return database.transaction(async () => {
    const row = await campaigns.lock(projectId, key!);
    if (row) await work(row);
    await batch.complete();
  });
}
