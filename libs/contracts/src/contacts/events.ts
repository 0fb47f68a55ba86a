import { AnalyticsWindow, TimeseriesQuery } from '../analytics/analytics.js';
import { maxCustomFields } from './contacts.js';
import { request } from '../schema/contract.js';
import { invalidMember } from '../common/errors.js';
import {
  Address,
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
  Texts,
} from '../schema/fields.js';
import { IdempotencyClaim } from '../common/idempotency.js';
import { PageEnd, PageQuery } from '../common/page.js';
import { JoinFields } from '../schema/shapes.js';

/** Names of what Posthorn itself tells of: nobody else may record such events. */
const reservedName = /^(?:email|contact|segment)\./i;
export const isReservedEventName = (name: string): boolean => reservedName.test(name);

/** How long ago an event may have happened when it is recorded. */
export const maxEventAgeDays = 30;
/** Clocks of clients are ahead by a little. */
export const maxEventLeadMinutes = 5;

/** Something that a contact did, as somebody recorded it. */
export class CustomEvent {
  @Id() id: string;
  @Line(1, 200, { example: 'signup' }) name: string;
  @Id() contactId: string;
  /** The e-mail that it came of; null where none did. */
  @Id() @Nullable() emailId: string | null;
  @FreeMap({ max: maxCustomFields }) payload: Record<string, unknown>;
  /** When it was recorded. */
  @Instant() createdAt: Date;
}

/** Of one contact, by its id or by its address; an address that is none yet becomes one, as by an upsert. */
export class CreateEvent {
  @Line(1, 200, { example: 'signup' }) name: string;
  @Id() @Optional() contactId?: string;
  @Address() @Optional() email?: string;
  @FreeMap({ max: maxCustomFields }) @Optional() payload?: Record<string, unknown>;
  /** When it happened, at most 30 days ago; now unless said otherwise. It says nothing of how long the event is kept. */
  @Instant() @Optional() occurredAt?: Date;
}

/** `subscribed` is kept where it is absent. What of `data` is text, number or flag is stored on the contact too. */
export class TrackEvent {
  @Line(1, 200, { example: 'signup' }) event: string;
  @Address() email: string;
  @Flag() @Optional() subscribed?: boolean;
  @FreeMap({ max: maxCustomFields }) @Optional() data?: Record<string, unknown>;
}

class Once {
  @Nested(() => IdempotencyClaim) @Optional() idempotency?: IdempotencyClaim;
}

export class RecordEvent extends JoinFields(CreateEvent, Once) {}
export class TrackEventOnce extends JoinFields(TrackEvent, Once) {}

export class TrackedEvent {
  /** The id of the contact. */
  @Id() contact: string;
  /** The id of the event. */
  @Id() event: string;
  @Instant() timestamp: Date;
}

export class EventQuery {
  @Text(1, 200) @Optional() eventName?: string;
  @Id() @Optional() contactId?: string;
}

export class ListEvents extends JoinFields(PageQuery, EventQuery) {}

export class EventPage extends PageEnd {
  @ListOf(() => CustomEvent, 0, 100) items: CustomEvent[];
}

export class ListEventNames {}

/** The most frequent ones of more: so many names are ids in the place of names. */
export const maxEventNames = 10_000;

export class EventNames {
  /** Most frequent first, ties by name. */
  @Texts(0, maxEventNames, 200) data: string[];
  /** There are more than these; absent where these are all. */
  @Flag() @Optional() truncated?: true;
}

/** How often something happened on one UTC day. */
export class EventDay {
  @Text(1, 200) name: string;
  @Text(10, 10, { example: '2026-01-31' }) date: string;
  @Count() count: number;
}

export const maxEventDays = 20_000;

export class EventStats {
  /** By day, then by name; what did not happen on a day is not there. */
  @ListOf(() => EventDay, 0, maxEventDays) data: EventDay[];
  @Nested(() => AnalyticsWindow) window: AnalyticsWindow;
  /** The last days are missing, of the last one that is there perhaps some names: ask for fewer days. Absent where nothing is missing. */
  @Flag() @Optional() truncated?: true;
}

export const events = {
  /** Errors: `validation_error` (`/name`, `/contactId`, `/email`, `/occurredAt`), `conflict` and `idempotency_key_reused` for its key. */
  record: request('contacts.events.record', RecordEvent, CustomEvent, { batch: true }),
  /** Makes or changes the contact in the commit of the event. */
  track: request('contacts.events.track', TrackEventOnce, TrackedEvent, { batch: true }),
  list: request('contacts.events.list', ListEvents, EventPage),
  names: request('contacts.events.names', ListEventNames, EventNames),
  stats: request('contacts.events.stats', TimeseriesQuery, EventStats),
};

export const eventNameReserved = (member: 'name' | 'event') =>
  invalidMember([member], 'not_allowed', 'must not begin with email., contact. or segment.');
export const anonymousEvent = () =>
  invalidMember(['contactId'], 'required', 'is required, or email, and not both');
export const eventContactUnknown = () =>
  invalidMember(['contactId'], 'not_found', 'is no contact of this project');
export const eventOutOfTime = () =>
  invalidMember(
    ['occurredAt'],
    'out_of_range',
    `must be at most ${maxEventAgeDays} days ago, and not in the future`,
  );
