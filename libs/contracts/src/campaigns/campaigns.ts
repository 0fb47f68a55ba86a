import { event, query, request } from '../schema/contract.js';
import { emailCategories, type EmailCategory } from '../sending/domains.js';
import {
  Address,
  Choice,
  Count,
  Flag,
  FreeMap,
  Id,
  Ids,
  Instant,
  Line,
  ListOf,
  Nested,
  Nullable,
  Optional,
  Text,
} from '../schema/fields.js';
import { IdempotentRequest } from '../common/idempotency.js';
import { PageEnd, PageQuery } from '../common/page.js';
import { JoinFields, PartialFields, PickFields } from '../schema/shapes.js';
import { CampaignTiming, GivenTiming } from './campaign-timing.js';
import { CampaignComparison, CampaignVariant, GivenVariants, maxCampaignBody } from './campaign-variants.js';

/** DRAFT → SCHEDULED → SENDING ⇄ PAUSED → SENT. CANCELLED and SENT are terminal (docs/api-decisions.md §6). */
export const campaignStatuses = ['DRAFT', 'SCHEDULED', 'SENDING', 'PAUSED', 'SENT', 'CANCELLED'] as const;
export type CampaignStatus = (typeof campaignStatuses)[number];

/** FILTERED needs `audienceCondition`, SEGMENT `segmentId`, LIST `listId` (CONFIRMED members only). */
export const audienceTypes = ['ALL', 'FILTERED', 'SEGMENT', 'LIST'] as const;
export type AudienceType = (typeof audienceTypes)[number];

/** docs/api-decisions.md §6. LATE: hours after its schedule; RESTORED: nothing moved for hours, or a restored
 * copy; CONTENT: a reference no longer exists, or the sender is no longer verified. */
export const pauseReasons = ['OPERATOR', 'LATE', 'REPUTATION', 'QUOTA', 'RESTORED', 'CONTENT'] as const;
export type PauseReason = (typeof pauseReasons)[number];

/** Compiling it takes longer than other checks. */
export const isMjml = (body: string | null | undefined): boolean =>
  body !== null && body !== undefined && /^\s*<mjml[\s>]/i.test(body);

export const maxCampaignName = 200;

const maxExclusions = 20;

export class CampaignStats {
  @Count() totalRecipients: number;
  @Count() sent: number;
  @Count() delivered: number;
  @Count() opened: number;
  @Count() clicked: number;
  @Count() bounced: number;
  @Count() failed: number;
}

export class Campaign {
  @Id() id: string;
  @Id({ legacyOnly: true }) projectId: string;
  @Text(1, maxCampaignName) name: string;
  @Text(0, 500) @Nullable() description: string | null;
  /** Subject and body, or a template, are optional in DRAFT and required to send. */
  @Line(1, 998) @Nullable() subject: string | null;
  /** HTML, or MJML where it begins with `<mjml>`; Liquid in both. The whole request is limited to 1 MiB. */
  @Text(1, maxCampaignBody) @Nullable() body: string | null;
  @Id() @Nullable() templateId: string | null;
  /** Its domain must be verified (422 `/from`). Null: the template's sender, or else the default domain's. */
  @Address() @Nullable() from: string | null;
  @Line(1, 100) @Nullable() fromName: string | null;
  @Address() @Nullable() replyTo: string | null;
  @Choice(emailCategories) emailCategory: EmailCategory;
  @Choice(audienceTypes) audienceType: AudienceType;
  @FreeMap({ max: 64 * 1024 }) @Nullable() audienceCondition: Record<string, unknown> | null;
  @Id() @Nullable() segmentId: string | null;
  @Id() @Nullable() listId: string | null;
  /** Members of these are skipped with the reason `excluded`. */
  @Ids(0, maxExclusions) excludeSegmentIds: string[];
  @Ids(0, maxExclusions) excludeListIds: string[];
  /** Only who is opted in to it gets the campaign; others are skipped with the reason `topic`. */
  @Id() @Nullable() topicId: string | null;
  /** Messages a minute at most; null: the general pace. */
  @Count({ min: 1, max: 1_000_000 }) @Nullable() sendRate: number | null;
  /** Needs `test`. */
  @ListOf(() => CampaignVariant, 2, 5) @Nullable() variants: CampaignVariant[] | null;
  @Nested(() => CampaignComparison) @Nullable() test: CampaignComparison | null;
  @Nested(() => CampaignTiming) @Nullable() timing: CampaignTiming | null;
  @Id() @Nullable() resendOfId: string | null;
  @Choice(campaignStatuses) status: CampaignStatus;
  @Choice(pauseReasons, { open: true }) @Nullable() pausedReason: PauseReason | null;
  @Instant() @Nullable() scheduledAt: Date | null;
  @Instant() @Nullable() sentAt: Date | null;
  @Nested(() => CampaignStats) stats: CampaignStats;
  @Instant() createdAt: Date;
  @Instant() updatedAt: Date;
}

class CampaignBase extends PickFields(Campaign, ['name', 'audienceType']) {}

const content = [
  'description',
  'subject',
  'body',
  'templateId',
  'from',
  'fromName',
  'replyTo',
  'emailCategory',
] as const;
const audience = [
  'audienceCondition',
  'segmentId',
  'listId',
  'excludeSegmentIds',
  'excludeListIds',
  'topicId',
  'sendRate',
] as const;
class CampaignContent extends JoinFields(PickFields(Campaign, [...content, ...audience]), GivenVariants) {
  @Nested(() => GivenTiming) @Nullable() timing: GivenTiming | null;
}

/** Created in DRAFT; `emailCategory` is MARKETING by default. */
export class CreateCampaign extends JoinFields(CampaignBase, PartialFields(CampaignContent)) {}

export class CreateCampaignOnce extends CreateCampaign {
  @Nested(() => IdempotentRequest) @Optional() idempotency?: IdempotentRequest;
}

export class UpdateCampaign extends PartialFields(CreateCampaign) {}

export class CampaignId extends PickFields(Campaign, ['id']) {}

export class SendCampaign {
  /** Strictly in the future; now by default. */
  @Instant() @Optional() scheduledFor?: Date;
}

/** The members that the errors of sending name: those of the request, and those of the campaign. */
export class SentMembers extends JoinFields(Campaign, SendCampaign) {}

export class SendCampaignOnce extends JoinFields(CampaignId, SendCampaign) {
  @Nested(() => IdempotentRequest) @Optional() idempotency?: IdempotentRequest;
}

export class RetryFailed {
  /** Also rows that failed as `delivery_unconfirmed`, whose recipients may have the message. */
  @Flag() @Optional() includeUnconfirmed?: boolean;
}

export class RetryFailedById extends JoinFields(CampaignId, RetryFailed) {}

export class RetriedCampaign extends PickFields(Campaign, ['id']) {
  @Count() queued: number;
}

export class ChooseWinner {
  @Text(1, 100) variant: string;
}

export class ChooseWinnerById extends JoinFields(CampaignId, ChooseWinner) {}

export class ResendCampaign {
  /** `<name> (resend)` by default. */
  @Text(1, maxCampaignName) @Optional() name?: string;
  /** That of the first sending by default. */
  @Line(1, 998) @Optional() subject?: string;
}

export class ResendCampaignById extends JoinFields(CampaignId, ResendCampaign) {}

export class TestCampaign {
  /** Of a member of the project. */
  @Address() email: string;
}

export class CampaignTest extends PickFields(Campaign, ['id']) {
  @Id() emailId: string;
  @Address() to: string;
}

export class UpdateCampaignById extends JoinFields(CampaignId, UpdateCampaign) {}

export class CampaignFilter {
  @Choice(campaignStatuses) @Optional() status?: CampaignStatus;
  /** Part of the name, in any case. */
  @Text(1, 200) @Optional() search?: string;
}

export class ListCampaigns extends JoinFields(PageQuery, CampaignFilter) {}

export class CampaignPage extends PageEnd {
  @ListOf(() => Campaign, 0, 100) items: Campaign[];
}

/** Whether an unsent campaign sends from a domain or one of its subdomains. */
export class CampaignSender {
  @Text(3, 253) domain: string;
}

export class CampaignSenderUse {
  @Flag() inUse: boolean;
}

export class DeletedCampaign extends PickFields(Campaign, ['id']) {}

export const campaigns = {
  /** Errors: `validation_error` (`/from`, a missing or unknown reference), `conflict`, `idempotency_key_reused`. */
  create: request('campaigns.campaigns.create', CreateCampaignOnce, Campaign),
  get: query('campaigns.campaigns.get', CampaignId, Campaign),
  list: query('campaigns.campaigns.list', ListCampaigns, CampaignPage),
  /** 409 unless DRAFT or SCHEDULED. */
  update: request('campaigns.campaigns.update', UpdateCampaignById, Campaign),
  /** 409 unless DRAFT. */
  delete: request('campaigns.campaigns.delete', CampaignId, DeletedCampaign),
  /** A new DRAFT with the same content and audience, whatever the status of the original. */
  clone: request('campaigns.campaigns.clone', CampaignId, Campaign),
  /** A new DRAFT for those who got the campaign and did not open it. 409 unless SENT. */
  resend: request('campaigns.campaigns.resend', ResendCampaignById, Campaign),
  /** Sends or schedules. 409 unless DRAFT or SCHEDULED; 422 without content, recipients, verified sender. */
  send: request('campaigns.campaigns.send', SendCampaignOnce, Campaign),
  /** 409 unless SCHEDULED, SENDING or PAUSED. No hand-off begins afterwards; the rest is skipped as `cancelled`. */
  cancel: request('campaigns.campaigns.cancel', CampaignId, Campaign),
  /** 409 unless SENDING. No hand-off begins after the answer. */
  pause: request('campaigns.campaigns.pause', CampaignId, Campaign),
  /** 409 unless PAUSED. */
  resume: request('campaigns.campaigns.resume', CampaignId, Campaign),
  /** 409 unless its variants are being compared. */
  chooseWinner: request('campaigns.campaigns.choose_winner', ChooseWinnerById, Campaign),
  /** 409 unless SENT. */
  retryFailed: request('campaigns.campaigns.retry_failed', RetryFailedById, RetriedCampaign),
  sendsFrom: query('campaigns.campaigns.sends_from', CampaignSender, CampaignSenderUse),
};

export class CampaignEvent {
  @Id() campaignId: string;
  @Text(1, maxCampaignName) name: string;
  @Instant() at: Date;
  @Count() seq: number;
}

export const campaignEvents = {
  changed: event('campaigns.campaign.changed', CampaignEvent, 'A campaign was created or edited.'),
  deleted: event('campaigns.campaign.deleted', CampaignEvent, 'A draft was deleted.'),
  launched: event(
    'campaigns.campaign.launched',
    CampaignEvent,
    'Sending of a campaign started; its audience is fixed from now on.',
  ),
  sent: event(
    'campaigns.campaign.sent',
    CampaignEvent,
    'Everybody in the audience of a campaign has an outcome.',
  ),
  paused: event('campaigns.campaign.paused', CampaignEvent, 'A campaign was paused.'),
  resumed: event('campaigns.campaign.resumed', CampaignEvent, 'A paused campaign was resumed.'),
  cancelled: event('campaigns.campaign.cancelled', CampaignEvent, 'A campaign was cancelled permanently.'),
};
