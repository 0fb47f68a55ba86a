import type { SinkLine } from '../../judging/sink-ledger.js';
import type { DoneStrike } from '../service-strikes.js';
import type { Reader } from './campaign-readers.js';
import type { CountsLook } from './judge-campaign-counts.js';

/** A row of the ledger, as the API shows it. */
export interface LedgerRow {
  email: string;
  outcome: string;
  reason: string | null;
  emailId: string | null;
  variant: string | null;
}

/** An e-mail of a campaign, as sending has it. */
export interface CampaignMail {
  id: string;
  campaignId: string;
  status: string;
  isGivenUp: boolean;
}

/** A campaign after the run. */
export interface EndedCampaign {
  id: string;
  name: string;
  status: string;
  pausedReason: string | null;
  /** It compares variants: only who is excluded from the other one belongs to it. */
  isCompared: boolean;
  rows: readonly LedgerRow[];
  stats: Record<string, unknown>;
}

/** The instant of a mark, in milliseconds of 1970. */
export interface HandOff {
  emailId: string;
  at: number;
}

/** A contact whose unsubscribe or suppression was answered then. */
export interface Raced {
  email: string;
  answeredAt: number;
}

/** From the answer to a pause until somebody asked to resume. */
export interface PauseSpan {
  campaignId: string;
  from: number;
  to: number;
  /** No earlier request to resume was left without an answer, which could have its effect only now. */
  isSure: boolean;
}

export interface CampaignsEvidence {
  campaigns: readonly EndedCampaign[];
  readers: readonly Reader[];
  sink: readonly SinkLine[];
  mails: readonly CampaignMail[];
  handOffs: readonly HandOff[];
  races: readonly Raced[];
  pauses: readonly PauseSpan[];
  counts: readonly CountsLook[];
  strikes: readonly DoneStrike[];
  /** When the large campaign was complete. */
  endedAt: number;
  wantedStrikes: number;
}
