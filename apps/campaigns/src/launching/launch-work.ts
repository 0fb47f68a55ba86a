import type { PauseReason } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { work, type WorkBatch } from '@posthorn/work';
import type { CampaignRow } from '../campaigns/campaign.entity.js';
import type { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import type { Retry } from '../recipients/recipients.repository.js';

const retry = { attempts: Infinity, firstMs: 500, maxMs: 30_000 };
/** After an item that ended its process several times. */
export const afterDeathMs = 60_000;

// The key of each of these is the id of its campaign.
export const scheduledLaunchWork = work('campaigns.launches', { concurrency: 2, retry });
export const freezeWork = work('campaigns.freezes', { concurrency: 2, retry });
export const handOverWork = work('campaigns.hand-overs', { concurrency: 4, retry });
export const winnerWork = work('campaigns.winners', { retry });
export const retryFailedWork = work<Retry>('campaigns.retries', { concurrency: 2, retry });
export const mailStateWork = work('campaigns.mail-states', { concurrency: 4, retry });

export interface SelfPause {
  reason: PauseReason;
  why: string;
  /** Without it all campaigns that are being sent are meant. */
  campaignId?: string;
}

export const selfPauseWork = work<SelfPause>('campaigns.self-pauses', { retry });

export interface DueAgain {
  campaignId: string;
  after?: string;
  nextDueAt?: string;
}

export const dueAgainWork = work<DueAgain>('campaigns.due-again', { concurrency: 2, retry });

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
