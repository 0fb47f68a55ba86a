import { query } from '../schema/contract.js';
import { PageEnd, PageQuery } from '../common/page.js';
import { EmailEvent } from '../sending/emails.js';
import { failureKinds, type FailureKind } from '../sending/email-status.js';
import { DomainError } from '../common/errors.js';
import {
  Address,
  Choice,
  Count,
  Id,
  Instant,
  ListOf,
  Nested,
  Nullable,
  Numeric,
  Optional,
  Text,
} from '../schema/fields.js';
import { JoinFields, PickFields } from '../schema/shapes.js';
import { CampaignId, campaignStatuses, CampaignStats, type CampaignStatus } from './campaigns.js';

/** QUEUED becomes another; FAILED by `delivery_unconfirmed` may become SENT (docs/api-decisions.md §6). */
export const recipientOutcomes = ['QUEUED', 'SENT', 'SKIPPED', 'FAILED'] as const;
export type RecipientOutcome = (typeof recipientOutcomes)[number];

export const skipReasons = [
  'suppressed',
  'unsubscribed',
  'invalid_recipient',
  'duplicate',
  'excluded',
  'topic',
  'frequency_cap',
  'quota_exhausted',
  'cancelled',
] as const;
export type SkipReason = (typeof skipReasons)[number];
export const recipientReasons = [...new Set<SkipReason | FailureKind>([...skipReasons, ...failureKinds])];
export type RecipientReason = (typeof recipientReasons)[number];

/** One row of the ledger: a contact of the audience as it was when sending started. */
export class CampaignRecipient {
  @Id() contactId: string;
  @Address() email: string;
  @Choice(recipientOutcomes) outcome: RecipientOutcome;
  @Choice(recipientReasons, { open: true }) @Nullable() reason: RecipientReason | null;
  /** Of the e-mail, which exists once the recipient was handed over to the sending pipeline. */
  @Id() @Nullable() emailId: string | null;
  @Text(1, 100) @Nullable() variant: string | null;
  /** Of the outcome; null while QUEUED. */
  @Instant() @Nullable() at: Date | null;
}

/** Percentages between which the rate of the winner's measure lies, with a certainty of 95 %. */
export class RateInterval {
  @Numeric() low: number;
  @Numeric() high: number;
}

export class VariantReport {
  @Text(1, 100) name: string;
  @Count() recipients: number;
  @Count() sent: number;
  @Count() opened: number;
  @Count() clicked: number;
  @Numeric() openRate: number;
  @Numeric() clickRate: number;
  @Nested(() => RateInterval) interval: RateInterval;
}

/** FIRST: a tie, or too few to tell. */
export const winnerDecisions = ['OPENS', 'CLICKS', 'MANUAL', 'FIRST'] as const;
export type WinnerDecision = (typeof winnerDecisions)[number];

export class RecipientWithEvents extends CampaignRecipient {
  @ListOf(() => EmailEvent, 0, 10_000) events: EmailEvent[];
}

class OfContact extends PickFields(CampaignRecipient, ['contactId']) {}

export class RecipientOfCampaign extends JoinFields(CampaignId, OfContact) {}

export class RecipientFilter {
  @Choice(recipientOutcomes) @Optional() outcome?: RecipientOutcome;
  @Choice(recipientReasons) @Optional() reason?: RecipientReason;
}

export class ListRecipients extends JoinFields(JoinFields(CampaignId, PageQuery), RecipientFilter) {}

export class RecipientPage extends PageEnd {
  @ListOf(() => CampaignRecipient, 0, 100) items: CampaignRecipient[];
}

/** A FAILED row of the ledger (docs/api-decisions.md §6). */
export class CampaignFailure {
  @Id() id: string;
  @Id() contactId: string;
  @Address() email: string;
  @Choice(failureKinds, { open: true }) @Nullable() reason: FailureKind | null;
  @Instant() failedAt: Date;
}

export class ListFailures extends JoinFields(CampaignId, PageQuery) {}

export class FailurePage extends PageEnd {
  @ListOf(() => CampaignFailure, 0, 100) items: CampaignFailure[];
}

/** Counts of the ledger; rates are percentages of `sent`, those of bounces and deliveries of what was handed over, refused or not, with one decimal, by people only. */
export class CampaignReport extends CampaignStats {
  @Count() complained: number;
  @Count() unsubscribed: number;
  @Count() skipped: number;
  @Numeric() openRate: number;
  @Numeric() clickRate: number;
  @Numeric() bounceRate: number;
  @Numeric() deliveryRate: number;
  /** Empty without variants. */
  @ListOf(() => VariantReport, 0, 5) variants: VariantReport[];
  /** The variant that the rest of the audience gets; null while open, and without variants. */
  @Text(1, 100) @Nullable() winner: string | null;
  @Choice(winnerDecisions) @Nullable() decidedBy: WinnerDecision | null;
}

export class CampaignProgress {
  @Id() id: string;
  @Choice(campaignStatuses) status: CampaignStatus;
  @Count() total: number;
  /** Recipients with an outcome. */
  @Count() done: number;
  @Count() queued: number;
  /** Since it was launched. */
  @Numeric() pacePerSecond: number;
  /** At that pace, with a timing until the last is due; null before the first, and unless sending. */
  @Count() @Nullable() secondsLeft: number | null;
}

export const campaignRecipients = {
  get: query('campaigns.recipients.get', RecipientOfCampaign, CampaignRecipient),
  progress: query('campaigns.recipients.progress', CampaignId, CampaignProgress),
  stats: query('campaigns.recipients.stats', CampaignId, CampaignReport),
  list: query('campaigns.recipients.list', ListRecipients, RecipientPage),
  failures: query('campaigns.recipients.failures', ListFailures, FailurePage),
};

export const recipientNotFound = () =>
  new DomainError('not_found', 'resource_not_found', 'No such recipient of this campaign');
