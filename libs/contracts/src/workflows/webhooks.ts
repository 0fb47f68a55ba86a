import { event, query, request } from '../schema/contract.js';
import { DomainError, invalidMember } from '../common/errors.js';
import { PageEnd, PageQuery } from '../common/page.js';
import {
  Choice,
  Count,
  Flag,
  FreeMap,
  Id,
  Instant,
  Line,
  ListOf,
  Nullable,
  Optional,
  Text,
} from '../schema/fields.js';
import { JoinFields, PartialFields, PickFields } from '../schema/shapes.js';

/** What a subscription can be about (docs/api-decisions.md §8). Triggers of workflows have names of their own. */
export const webhookEventTypes = [
  'email.sent',
  'email.delivered',
  'email.delayed',
  'email.opened',
  'email.clicked',
  'email.bounced',
  'email.complained',
  'email.failed',
  'email.received',
  'contact.created',
  'contact.updated',
  'contact.subscribed',
  'contact.unsubscribed',
  'contact.deleted',
  'contacts.bulk_created',
  'list.pending',
  'campaign.sent',
  'workflow.completed',
  'workflow.failed',
] as const;
export type WebhookEventType = (typeof webhookEventTypes)[number];

/** DISABLED by 410, by 100 failures in a row or by three days without a success; its owners get a mail. */
export const webhookStatuses = ['ACTIVE', 'PAUSED', 'DISABLED'] as const;
export type WebhookStatus = (typeof webhookStatuses)[number];

export const callStatuses = ['PENDING', 'SUCCESS', 'FAILED'] as const;
export type CallStatus = (typeof callStatuses)[number];

/** Of a response, what a call keeps. */
export const maxWebhookResponse = 16_384;
export const maxWebhooks = 50;
/** The body is `{id, type, createdAt, data}`, and custom fields of a contact are five levels. */
const payloadDepth = 12;
const distinctTypes = { list: true, min: 1, max: webhookEventTypes.length };

export class Webhook {
  @Id() id: string;
  /** http or https; where it leads is checked when it is called. */
  @Line(1, 2_000, { example: 'https://shop.example/hooks' }) url: string;
  @Text(0, 500) @Nullable() description: string | null;
  @Choice(webhookEventTypes, distinctTypes) eventTypes: WebhookEventType[];
  @Choice(webhookStatuses) status: WebhookStatus;
  /** Why it was disabled. */
  @Text(1, 200) @Nullable() disabledReason: string | null;
  @Instant() @Nullable() lastSuccessAt: Date | null;
  @Instant() createdAt: Date;
  @Instant() updatedAt: Date;
}

class WebhookSecret {
  /** Of Standard Webhooks, `whsec_…`; shown once. */
  @Text(1, 100, { example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }) secret: string;
}

export class WebhookWithSecret extends JoinFields(Webhook, WebhookSecret) {}

class WebhookBase extends PickFields(Webhook, ['url', 'eventTypes']) {}
class WebhookDescription extends PickFields(Webhook, ['description']) {}

export class CreateWebhook extends JoinFields(WebhookBase, PartialFields(WebhookDescription)) {}

class WebhookCaller {
  /** Whether the caller may see what confirms an address, as whoever may subscribe one (`list.pending`). */
  @Flag() @Optional() mayConfirm?: boolean;
}

export class CreateWebhookBy extends JoinFields(CreateWebhook, WebhookCaller) {}

/** `eventTypes` replaces all. ACTIVE also ends a disabling; what was missed is fetched by a replay, and never sent by itself. */
export class UpdateWebhook extends PartialFields(CreateWebhook) {
  @Choice(['ACTIVE', 'PAUSED']) @Optional() status?: 'ACTIVE' | 'PAUSED';
}

export class WebhookId extends PickFields(Webhook, ['id']) {}
class UpdateWebhookBy extends JoinFields(UpdateWebhook, WebhookCaller) {}
export class UpdateWebhookById extends JoinFields(WebhookId, UpdateWebhookBy) {}
export class ListWebhooks extends PageQuery {}

export class WebhookPage extends PageEnd {
  @ListOf(() => Webhook, 0, maxWebhooks) items: Webhook[];
}

/** A response of 2xx is a success; `error` says why none came. */
export class WebhookAttempt {
  @Count({ min: 1 }) attempt: number;
  @Instant() at: Date;
  @Count() @Nullable() responseStatus: number | null;
  @Text(1, 300) @Nullable() error: string | null;
  @Count() durationMs: number;
}

/** That of a call that somebody makes to see whether an endpoint works. */
export const testEventType = 'webhook.test';

/** One event for one subscription, with what came of its last attempt. */
export class WebhookCall {
  @Id() id: string;
  @Choice(webhookEventTypes, { open: true }) eventType: WebhookEventType | typeof testEventType;
  /** How many attempts were made. */
  @Count() attempt: number;
  @Choice(callStatuses) status: CallStatus;
  @Count() @Nullable() responseStatus: number | null;
  /** Its first 16 KiB as text; null where none came. */
  @Text(0, maxWebhookResponse) @Nullable() responseBody: string | null;
  /** Why no response came. */
  @Text(1, 300) @Nullable() error: string | null;
  @Count() @Nullable() durationMs: number | null;
  @Instant() @Nullable() nextAttemptAt: Date | null;
  @Instant() createdAt: Date;
  /** The body as it is sent: `{id, type, createdAt, data}`; of `list.pending` without its `confirmUrl`, which is null. */
  @FreeMap({ depth: payloadDepth }) payload: Record<string, unknown>;
  /** Oldest first, the last twenty. */
  @ListOf(() => WebhookAttempt, 0, 20) attempts: WebhookAttempt[];
}

export class WebhookCallPage extends PageEnd {
  @ListOf(() => WebhookCall, 0, 100) items: WebhookCall[];
}

export class ListWebhookCalls extends JoinFields(PageQuery, WebhookId) {}

export class WebhookCallId extends WebhookId {
  @Id() callId: string;
}

/** What signs the calls of the webhook steps of a project. */
export class ProjectWebhookSecret {
  /** Null before the first one is made. */
  @Text(4, 4, { example: 'LaSw' }) @Nullable() lastFour: string | null;
}

export class NewProjectWebhookSecret extends WebhookSecret {}
export class GetProjectWebhookSecret {}

/** Calls of the last 30 days. */
export class ReplayRange {
  @Instant() from: Date;
  @Instant() to: Date;
  @Choice(webhookEventTypes, distinctTypes) @Optional() eventTypes?: WebhookEventType[];
}

export class ReplayRangeOf extends JoinFields(WebhookId, ReplayRange) {}

export class ReplayedCalls {
  /** How many will be made again. */
  @Count() replayed: number;
}

export class DeletedWebhook extends PickFields(Webhook, ['id']) {}

export const webhooks = {
  create: request('workflows.webhooks.create', CreateWebhookBy, WebhookWithSecret),
  get: query('workflows.webhooks.get', WebhookId, Webhook),
  list: query('workflows.webhooks.list', ListWebhooks, WebhookPage),
  update: request('workflows.webhooks.update', UpdateWebhookById, Webhook),
  /** With all its calls. */
  delete: request('workflows.webhooks.delete', WebhookId, DeletedWebhook),
  /** The old secret signs, too, for 24 hours. */
  rotateSecret: request('workflows.webhooks.rotateSecret', WebhookId, WebhookWithSecret),
  /** Makes one call at once and answers it. */
  test: request('workflows.webhooks.test', WebhookId, WebhookCall),
  calls: query('workflows.webhooks.calls', ListWebhookCalls, WebhookCallPage),
  replay: request('workflows.webhooks.replay', WebhookCallId, WebhookCall),
  replayRange: request('workflows.webhooks.replayRange', ReplayRangeOf, ReplayedCalls),
};

export const projectWebhookSecrets = {
  get: query('workflows.webhookSecrets.get', GetProjectWebhookSecret, ProjectWebhookSecret),
  /** The old secret signs, too, for 24 hours. */
  rotate: request('workflows.webhookSecrets.rotate', GetProjectWebhookSecret, NewProjectWebhookSecret),
};

class WebhookEventBase {
  @Id() webhookId: string;
  @Instant() at: Date;
}

/** Without its URL, which may contain a password. */
export class WebhookChanged extends WebhookEventBase {
  @Choice(webhookStatuses, { open: true }) status: WebhookStatus;
  @Choice(webhookEventTypes, { ...distinctTypes, open: true }) eventTypes: WebhookEventType[];
  @Count() seq: number;
}

export class WebhookDeleted extends WebhookEventBase {}

export class WebhookDisabled extends WebhookEventBase {
  @Text(1, 300) origin: string;
  @Text(1, 200) reason: string;
}

export const webhookEvents = {
  changed: event(
    'workflows.webhook.changed',
    WebhookChanged,
    'A webhook subscription was created or changed.',
  ),
  deleted: event(
    'workflows.webhook.deleted',
    WebhookDeleted,
    'A webhook subscription was deleted with its calls.',
  ),
  secretRotated: event(
    'workflows.webhook.secret_rotated',
    WebhookDeleted,
    'A webhook subscription got a new secret.',
  ),
  disabled: event(
    'workflows.webhook.disabled',
    WebhookDisabled,
    'A webhook subscription was disabled, because its endpoint does not work; the owners get a mail.',
  ),
};

export const webhookNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such webhook');
export const mayNotHearOfPending = () =>
  new DomainError(
    'forbidden',
    'scope_missing',
    'The credential lacks the scope lists:write: list.pending has links that confirm addresses',
  );
export const webhookCallNotFound = () =>
  new DomainError('not_found', 'resource_not_found', 'No such call of the webhook');
export const webhookUrlRefused = (reason: string) => invalidMember(['url'], 'not_allowed', reason);
export const tooManyWebhooks = () =>
  new DomainError('conflict', 'conflict', `A project may have at most ${maxWebhooks} webhooks`);
export const webhookNotActive = () =>
  new DomainError('conflict', 'conflict', 'The webhook is not ACTIVE: set its status first');
export const replayRangeReversed = () => invalidMember(['to'], 'out_of_range', 'must not be before from');
