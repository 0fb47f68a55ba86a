import { work } from '@posthorn/work';

const retry = { attempts: Infinity, firstMs: 500, maxMs: 30_000 };

/** By the id of a campaign, due at its scheduled time. */
export const scheduledLaunchWork = work('campaigns.launches', { concurrency: 2, retry });
/** Writes the ledger; by the id of the campaign. */
export const freezeWork = work('campaigns.freezes', { concurrency: 2, retry });

/** Where hand-overs to be repeated begin. */
export interface DueAgain {
  after?: string;
}

/** Hands the ledger over to sending, and ends the campaign; by the id of the campaign. */
export const handOverWork = work('campaigns.hand-overs', { concurrency: 4, retry });
/** Hands over once more what sending kept back while the campaign was paused; by the id of the campaign. */
export const dueAgainWork = work<DueAgain>('campaigns.due-again', { concurrency: 2, retry });
