import type { PauseReason } from '@posthorn/contracts';
import { work } from '@posthorn/work';
import type { Retry } from '../recipients/recipients.repository.js';

const retry = { attempts: Infinity, firstMs: 500, maxMs: 30_000 };
/** After an item that ended its process several times. */
export const afterDeathMs = 60_000;

/** By the id of a campaign, due at its scheduled time. */
export const scheduledLaunchWork = work('campaigns.launches', { concurrency: 2, retry });
/** Writes the ledger; by the id of the campaign. */
export const freezeWork = work('campaigns.freezes', { concurrency: 2, retry });
/** Hands the ledger over to sending, and ends the campaign; by the id of the campaign. */
export const handOverWork = work('campaigns.hand-overs', { concurrency: 4, retry });
/** Decides between the variants of a campaign; by its id. */
export const winnerWork = work('campaigns.winners', { retry });
/** Queues failed rows again; by the id of the campaign. */
export const retryFailedWork = work<Retry>('campaigns.retries', { concurrency: 2, retry });
/** Tells sending the state of a campaign as it is now; by the id of the campaign. */
export const mailStateWork = work('campaigns.mail-states', { concurrency: 4, retry });

export interface SelfPause {
  reason: PauseReason;
  why: string;
  /** All that are being sent where it is missing. */
  campaignId?: string;
}

/** Pauses campaigns by what happened elsewhere. */
export const selfPauseWork = work<SelfPause>('campaigns.self-pauses', { retry });

/** Where hand-overs to be repeated begin. */
export interface DueAgain {
  campaignId: string;
  after?: string;
  nextDueAt?: string;
}

/** Hands over once more what sending kept back while the campaign was paused. */
export const dueAgainWork = work<DueAgain>('campaigns.due-again', { concurrency: 2, retry });
