import { event, query, request } from '../schema/contract.js';
import { emailCategories, type EmailCategory } from '../sending/domains.js';
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
import { IdempotentRequest } from '../common/idempotency.js';
import { PageEnd, PageQuery } from '../common/page.js';
import { JoinFields, PartialFields, PickFields } from '../schema/shapes.js';

/** DRAFT → SCHEDULED → SENDING ⇄ PAUSED → SENT. CANCELLED and SENT are terminal (docs/api-decisions.md §6). */
export const campaignStatuses = ['DRAFT', 'SCHEDULED', 'SENDING', 'PAUSED', 'SENT', 'CANCELLED'] as const;
export type CampaignStatus = (typeof campaignStatuses)[number];

/** FILTERED needs `audienceCondition`, SEGMENT `segmentId`, LIST `listId` (CONFIRMED members only). */
export const audienceTypes = ['ALL', 'FILTERED', 'SEGMENT', 'LIST'] as const;
export type AudienceType = (typeof audienceTypes)[number];

export const maxCampaignName = 200;
const maxCampaignBody = 1024 * 1024;

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
  /** HTML. The whole request is limited to 1 MiB. */
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

/** Created in DRAFT; `emailCategory` is MARKETING by default. */
export class CreateCampaign extends JoinFields(CampaignBase, PartialFields(CampaignContent)) {}

/** Repeating the idempotency key returns the first response byte for byte (docs/api-decisions.md §3). */
export class CreateCampaignOnce extends CreateCampaign {
  @Nested(() => IdempotentRequest) @Optional() idempotency?: IdempotentRequest;
}

export class UpdateCampaign extends PartialFields(CreateCampaign) {}

export class CampaignId extends PickFields(Campaign, ['id']) {}

export class UpdateCampaignById extends JoinFields(CampaignId, UpdateCampaign) {}

export class ListCampaigns extends PageQuery {}

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
  sendsFrom: query('campaigns.campaigns.sends_from', CampaignSender, CampaignSenderUse),
};

export class CampaignEvent {
  @Id() campaignId: string;
  @Text(1, maxCampaignName) name: string;
  @Instant() at: Date;
  /** Increases with every change of this campaign; orders its events. */
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
  paused: event('campaigns.campaign.paused', CampaignEvent, 'A campaign was paused.'),
  resumed: event('campaigns.campaign.resumed', CampaignEvent, 'A paused campaign was resumed.'),
  cancelled: event('campaigns.campaign.cancelled', CampaignEvent, 'A campaign was cancelled permanently.'),
};

export const campaignNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such campaign');
export const campaignNotEditable = () =>
  new DomainError('conflict', 'conflict', 'The campaign can be changed only in DRAFT or SCHEDULED');
export const campaignNotDraft = () =>
  new DomainError('conflict', 'conflict', 'Only a campaign in DRAFT can be deleted');
