import { event, request } from '../schema/contract.js';
import { streams, type Stream } from '../sending/domains.js';
import { DomainError } from '../common/errors.js';
import {
  Address,
  Choice,
  Count,
  Flag,
  FreeMap,
  Id,
  Instant,
  Line,
  ListOf,
  Nested,
  Nullable,
  Optional,
  Text,
} from '../schema/fields.js';
import { IdempotencyClaim } from '../common/idempotency.js';
import { PageEnd, PageQuery } from '../common/page.js';
import { JoinFields, PartialFields, PickFields } from '../schema/shapes.js';

/** DRAFT → SCHEDULED → SENDING ⇄ PAUSED → SENT; CANCELLED and SENT are terminal (docs/api-decisions.md §6). */
export const campaignStatuses = ['DRAFT', 'SCHEDULED', 'SENDING', 'PAUSED', 'SENT', 'CANCELLED'] as const;
export type CampaignStatus = (typeof campaignStatuses)[number];

/** ALL takes nothing more; FILTERED `audienceCondition`, SEGMENT `segmentId`, LIST `listId` (its CONFIRMED members only). */
export const audienceTypes = ['ALL', 'FILTERED', 'SEGMENT', 'LIST'] as const;
export type AudienceType = (typeof audienceTypes)[number];

export const maxCampaignName = 200;
const maxCampaignBody = 1024 * 1024;

/** Counts of recipients; all zero until the campaign is sent. */
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
  /** Subject and body, or a template, may be missing in DRAFT; `send` needs them. */
  @Line(1, 998) @Nullable() subject: string | null;
  /** HTML, ≤ 1 MiB with the whole request. */
  @Text(1, maxCampaignBody) @Nullable() body: string | null;
  @Id() @Nullable() templateId: string | null;
  /** Its domain must be verified (422 `/from`). Null: the template's, else the default domain's, when it is sent. */
  @Address() @Nullable() from: string | null;
  @Line(1, 100) @Nullable() fromName: string | null;
  @Address() @Nullable() replyTo: string | null;
  @Choice(streams) emailCategory: Stream;
  @Choice(audienceTypes) audienceType: AudienceType;
  @FreeMap({ max: 64 * 1024 }) @Nullable() audienceCondition: Record<string, unknown> | null;
  @Id() @Nullable() segmentId: string | null;
  @Id() @Nullable() listId: string | null;
  @Choice(campaignStatuses) status: CampaignStatus;
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
const audience = ['audienceCondition', 'segmentId', 'listId'] as const;
class CampaignContent extends PickFields(Campaign, [...content, ...audience]) {}

/** `emailCategory` is MARKETING unless said otherwise. A campaign is created in DRAFT. */
export class CreateCampaign extends JoinFields(CampaignBase, PartialFields(CampaignContent)) {}

/** A create as it travels: repeats of its key are answered the first one's receipt, to the byte (docs/api-decisions.md §3). */
export class CreateCampaignOnce extends CreateCampaign {
  @Nested(() => IdempotencyClaim) @Optional() idempotency?: IdempotencyClaim;
}

/** Absent leaves, null clears; what results is checked as a whole. */
export class UpdateCampaign extends PartialFields(CreateCampaign) {}

export class CampaignId extends PickFields(Campaign, ['id']) {}

export class UpdateCampaignById extends JoinFields(CampaignId, UpdateCampaign) {}

export class ListCampaigns extends PageQuery {}

export class CampaignPage extends PageEnd {
  @ListOf(() => Campaign, 0, 100) items: Campaign[];
}

/** Whether a campaign that is not sent yet sends from a domain, or from what lies beneath it. */
export class CampaignSender {
  @Text(3, 253) domain: string;
}

export class CampaignSenderUse {
  @Flag() inUse: boolean;
}

export class DeletedCampaign extends PickFields(Campaign, ['id']) {}

export const campaigns = {
  /** Errors: `validation_error` (`/from`, a missing or unknown dependent), `conflict` and `idempotency_key_reused` for its key. */
  create: request('campaigns.campaigns.create', CreateCampaignOnce, Campaign),
  get: request('campaigns.campaigns.get', CampaignId, Campaign),
  list: request('campaigns.campaigns.list', ListCampaigns, CampaignPage),
  /** 409 unless DRAFT or SCHEDULED. */
  update: request('campaigns.campaigns.update', UpdateCampaignById, Campaign),
  /** 409 unless DRAFT. */
  delete: request('campaigns.campaigns.delete', CampaignId, DeletedCampaign),
  /** A new DRAFT with the same content and audience, whatever became of the original. */
  clone: request('campaigns.campaigns.clone', CampaignId, Campaign),
  sendsFrom: request('campaigns.campaigns.sends_from', CampaignSender, CampaignSenderUse),
};

export class CampaignEvent {
  @Id() campaignId: string;
  @Text(1, maxCampaignName) name: string;
  @Instant() at: Date;
  /** Rises with every change of this campaign: order per campaign. */
  @Count() seq: number;
}

export const campaignEvents = {
  changed: event('campaigns.campaign.changed', CampaignEvent, 'A campaign was created or edited.'),
  deleted: event('campaigns.campaign.deleted', CampaignEvent, 'A draft was deleted.'),
  launched: event(
    'campaigns.campaign.launched',
    CampaignEvent,
    'A campaign began to send; its audience is frozen.',
  ),
  paused: event('campaigns.campaign.paused', CampaignEvent, 'A campaign was paused.'),
  resumed: event('campaigns.campaign.resumed', CampaignEvent, 'A campaign goes on.'),
  cancelled: event('campaigns.campaign.cancelled', CampaignEvent, 'A campaign was cancelled for good.'),
};

export const campaignNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such campaign');
export const campaignNotEditable = () =>
  new DomainError('conflict', 'conflict', 'The campaign is past DRAFT and SCHEDULED and cannot be changed');
export const campaignNotDraft = () =>
  new DomainError('conflict', 'conflict', 'Only a campaign in DRAFT can be deleted');
