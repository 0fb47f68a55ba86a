import { Campaign } from '../campaigns/campaigns.js';
import { query, request } from '../schema/contract.js';
import { DomainError } from '../common/errors.js';
import { emailCategories, type EmailCategory } from './domains.js';
import {
  Address,
  Choice,
  Count,
  Flag,
  Id,
  Ids,
  Instant,
  ListOf,
  Nested,
  Nullable,
  Optional,
  Text,
} from '../schema/fields.js';
import { RenderedTemplate } from './templates.js';
import { JoinFields, PickFields } from '../schema/shapes.js';

export const maxHandedOver = 500;

class OwnContent extends PickFields(Campaign, [
  'subject',
  'body',
  'templateId',
  'from',
  'fromName',
  'replyTo',
]) {}

class ContentOfCampaign {
  @Id() campaignId: string;
  /** Of the stored content; preparing the same one again changes nothing. */
  @Id() contentId: string;
  @Choice(emailCategories) category: EmailCategory;
  /** Of a campaign to one list, which the links of its mail leave. */
  @Id() @Nullable() @Optional() listId?: string | null;
  /** Of a campaign with a topic, which the links leave rather than its list. */
  @Id() @Nullable() @Optional() topicId?: string | null;
}

/** What the mail of a campaign is made of; the current version of its template is used from now on. */
export class PrepareCampaign extends JoinFields(ContentOfCampaign, OwnContent) {}

/** What a draft says already; null where it does not. */
export class CheckCampaignMail extends PickFields(PrepareCampaign, [
  'subject',
  'body',
  'templateId',
  'from',
  'fromName',
  'category',
]) {}

export class CampaignBody extends PickFields(Campaign, ['body']) {}

export class CampaignHtml {
  @Text(0, 2 * 1024 * 1024) @Nullable() html: string | null;
}

export class CheckedCampaignMail {
  @Flag() isComplete: boolean;
}

export class PreparedCampaign {
  @Id() contentId: string;
  @Flag() tracksOpens: boolean;
  @Address() from: string;
  /** That of the template where the campaign has none of its own. */
  @Text(0, 998) subject: string;
}

export const maxTriedRecipients = 100;

export class TriedRecipient {
  @Id() contactId: string;
  @Address() email: string;
}

class TriedRecipients {
  @ListOf(() => TriedRecipient, 0, maxTriedRecipients) recipients: TriedRecipient[];
  /** For so many of the recipients the whole message is answered. */
  @Count({ max: 3 }) samples: number;
}

export class TryCampaignMail extends JoinFields(CheckCampaignMail, TriedRecipients) {}

export class TrialFailure extends TriedRecipient {
  @Text(0, 1_000) message: string;
}

export class TrialSample extends TriedRecipient {
  @Nested(() => RenderedTemplate) rendered: RenderedTemplate;
}

export class TriedCampaignMail {
  @Address() from: string;
  @Count() pacePerSecond: number;
  /** Contacts that the hand-off would leave out. */
  @Ids(0, maxTriedRecipients) suppressed: string[];
  @Ids(0, maxTriedRecipients) unsubscribed: string[];
  /** They have had as much marketing mail as the project allows. */
  @Ids(0, maxTriedRecipients) capped: string[];
  @ListOf(() => TrialFailure, 0, maxTriedRecipients) failures: TrialFailure[];
  @ListOf(() => TrialSample, 0, 3) samples: TrialSample[];
}

export class ArchivedContentId extends PickFields(PrepareCampaign, ['contentId']) {}

/** As somebody sees it who is no contact. */
export class ArchivedMail {
  @Text(0, 998) subject: string;
  @Text(0, 2 * 1024 * 1024) html: string;
}

/** Hours of each day in which nothing leaves. */
export class QuietTime {
  @Instant() from: Date;
  @Count({ min: 1, max: 86_400 }) seconds: number;
  /** When the clocks of the recipient change next, and by how much: from then on the hours begin so much earlier in UTC. */
  @Instant() @Optional() shiftAt?: Date;
  @Count({ min: -86_400, max: 86_400 }) @Optional() shiftSeconds?: number;
}

export class CampaignMailRecipient {
  /** Of the e-mail. */
  @Id() id: string;
  @Id() contactId: string;
  @Address() email: string;
  /** It leaves not before; now by default. */
  @Instant() @Optional() dueAt?: Date;
  @Nested(() => QuietTime) @Optional() quiet?: QuietTime;
}

export class HandOverCampaignMail {
  @Id() campaignId: string;
  @Id() contentId: string;
  @ListOf(() => CampaignMailRecipient, 1, maxHandedOver) recipients: CampaignMailRecipient[];
}

export class HandedOverCampaignMail {
  /** How many of the e-mails are new; the others were handed over before. */
  @Count() accepted: number;
  /** E-mails whose contacts were erased meanwhile: they are never sent. */
  @Ids(0, maxHandedOver) erased: string[];
  /** The general pace, shared by all mail; 0: unlimited. */
  @Count() pacePerSecond: number;
}

/** What the hand-off of a campaign's mail depends on; checked in the mark. */
export const campaignMailStates = ['SENDING', 'PAUSED', 'CANCELLED'] as const;
export type CampaignMailState = (typeof campaignMailStates)[number];

export class SetCampaignMailState {
  @Id() campaignId: string;
  @Choice(campaignMailStates) state: CampaignMailState;
  /** Of the campaign; an older one changes nothing. */
  @Count() seq: number;
}

export class CampaignMailStateSet {
  @Choice(campaignMailStates) state: CampaignMailState;
}

export const campaignContentUnknown = () =>
  new DomainError('not_found', 'resource_not_found', 'No such content of a campaign');

export const campaignMail = {
  /** What would become of these recipients; nothing is stored. Errors: those of `prepare`. */
  tryOut: query('sending.campaignMail.tryOut', TryCampaignMail, TriedCampaignMail),
  /** Errors: `validation_error` for unreadable content, an unknown template, a sender that is not verified. */
  check: query('sending.campaignMail.check', CheckCampaignMail, CheckedCampaignMail),
  /** As HTML, which it may be already. Errors: `validation_error` for MJML that cannot be compiled. */
  html: query('sending.campaignMail.html', CampaignBody, CampaignHtml),
  /** Errors: those of `check`, and `validation_error` for missing content. */
  prepare: request('sending.campaignMail.prepare', PrepareCampaign, PreparedCampaign),
  archived: query('sending.campaignMail.archived', ArchivedContentId, ArchivedMail),
  /** Idempotent by the ids of the e-mails. What waits because its campaign was paused becomes due again. */
  handOver: request('sending.campaignMail.handOver', HandOverCampaignMail, HandedOverCampaignMail),
  /** After the reply no hand-off of the campaign begins against this state. */
  setState: request('sending.campaignMail.setState', SetCampaignMailState, CampaignMailStateSet),
};
