import { DomainError } from '../common/errors.js';
import { Choice, FreeMap, Id, Instant, Optional } from '../schema/fields.js';
import { webhookEventTypes, type WebhookEventType } from './webhooks.js';
import { webhookTypes } from './webhook-payloads.js';

const isStreamed = new Set(webhookTypes.values());
/** Of the vocabulary of subscriptions, what travels on the bus. */
const streamedTypes = webhookEventTypes.filter((type) => isStreamed.has(type));

export class StreamOptions {
  /** All without it. */
  @Choice(streamedTypes, { list: true, min: 1, max: streamedTypes.length })
  @Optional()
  types?: WebhookEventType[];
}

/** The data of an event of the stream, as calls of webhooks have it; of `list.pending` without its `confirmUrl`, which is null. */
export class StreamedEvent {
  /** The same as in the call of a webhook, and when the event is sent again. */
  @Id() id: string;
  @Choice(streamedTypes, { open: true }) type: WebhookEventType;
  @Instant() createdAt: Date;
  @FreeMap({ depth: 12 }) data: Record<string, unknown>;
}

const refused = (message: string) => new DomainError('invalid', 'validation_error', message);
export const eventIdMalformed = () => refused('Last-Event-ID is not an id of this stream');
export const eventIdOfAnother = () => refused('Last-Event-ID was issued for another project');
export const eventIdInFuture = () => refused('Last-Event-ID lies in the future');
export const eventIdTooOld = () =>
  refused(
    'Last-Event-ID is older than the events that are kept: connect without it, and list what happened meanwhile',
  );
export const tooManyStreams = (most: number, retryAfterSeconds: number, where: 'project' | 'process') =>
  new DomainError(
    'rate_limited',
    'rate_limited',
    where === 'project'
      ? `At most ${most} live streams of a project may be open at once; close some, or repeat the request in ${retryAfterSeconds} s`
      : `No more than ${most} live streams may be open here; repeat the request in ${retryAfterSeconds} s`,
    { retryAfterSeconds },
  );
