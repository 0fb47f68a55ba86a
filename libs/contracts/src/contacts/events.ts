import { AnalyticsWindow, TimeseriesQuery } from '../analytics/analytics.js';
import { maxCustomFields } from './contacts.js';
import { query, request } from '../schema/contract.js';
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
import { IdempotentRequest } from '../common/idempotency.js';
import { PageEnd, PageQuery } from '../common/page.js';
import { AlsoRequired } from '../schema/required-members.js';
import { JoinFields } from '../schema/shapes.js';

const reservedName = /^(?:email|contact|segment)\./i;
export const isReservedEventName = (name: string): boolean => reservedName.test(name);

export const maxEventAgeDays = 30;
/** Tolerance for client clocks that are ahead. */
export const maxEventLeadMinutes = 5;

export class CustomEvent {
  @Id() id: string;
  @Line(1, 200, { example: 'signup' }) name: string;
  @Id() contactId: string;
  /** The e-mail that led to the event, if any. */
  @Id() @Nullable() emailId: string | null;
  @FreeMap({ max: maxCustomFields }) payload: Record<string, unknown>;
  @Instant() createdAt: Date;
}

const anonymousText = 'is required unless email is given; give only one of them';

/** Give the contact's id or address; an unknown address becomes a contact, as in an upsert. */
@AlsoRequired(({ email }): Record<string, string> =>
  email === undefined ? { contactId: anonymousText } : {},
)
export class CreateEvent {
  @Line(1, 200, { example: 'signup' }) name: string;
  @Id() @Optional() contactId?: string;
  @Address() @Optional() email?: string;
  @FreeMap({ max: maxCustomFields }) @Optional() payload?: Record<string, unknown>;
  /** When it happened, at most 30 days ago; defaults to now. Retention counts from the recording. */
  @Instant() @Optional() occurredAt?: Date;
}

/** `subscribed` is unchanged when absent. Scalars in `data` are also stored on the contact. */
export class TrackEvent {
  @Line(1, 200, { example: 'signup' }) event: string;
  @Address() email: string;
  @Flag() @Optional() subscribed?: boolean;
  @FreeMap({ max: maxCustomFields }) @Optional() data?: Record<string, unknown>;
}

class Once {
  @Nested(() => IdempotentRequest) @Optional() idempotency?: IdempotentRequest;
}

export class RecordEvent extends JoinFields(CreateEvent, Once) {}
export class TrackEventOnce extends JoinFields(TrackEvent, Once) {}

export class TrackedEvent {
  @Id() contact: string;
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

/** A project with more names than this probably puts ids into them; the most frequent ones are returned. */
export const maxEventNames = 10_000;

export class EventNames {
  /** Most frequent first, ties by name. */
  @Texts(0, maxEventNames, 200) data: string[];
  /** There are more names; absent otherwise. */
  @Flag() @Optional() truncated?: true;
}

/** How often an event happened on one UTC day. */
export class EventDay {
  @Text(1, 200) name: string;
  @Text(10, 10, { example: '2026-01-31' }) date: string;
  @Count() count: number;
}

export const maxEventDays = 20_000;

export class EventStats {
  /** By day, then by name; days without events are omitted. */
  @ListOf(() => EventDay, 0, maxEventDays) data: EventDay[];
  @Nested(() => AnalyticsWindow) window: AnalyticsWindow;
  /** The last days, and maybe names of the last day shown, are missing: request fewer. Else absent. */
  @Flag() @Optional() truncated?: true;
}

export const events = {
  /** Errors: `validation_error` (`/name`, `/contactId`, `/email`, `/occurredAt`), `conflict`, `idempotency_key_reused`. */
  record: request('contacts.events.record', RecordEvent, CustomEvent, { gathered: true }),
  /** Creates or updates the contact in the same commit as the event. */
  track: request('contacts.events.track', TrackEventOnce, TrackedEvent, { gathered: true }),
  list: query('contacts.events.list', ListEvents, EventPage),
  names: query('contacts.events.names', ListEventNames, EventNames),
  stats: query('contacts.events.stats', TimeseriesQuery, EventStats),
};

export const eventNameReserved = (member: 'name' | 'event') =>
  invalidMember([member], 'not_allowed', 'must not begin with email., contact. or segment.');
export const anonymousEvent = () => invalidMember(['contactId'], 'required', anonymousText);
export const eventContactUnknown = () =>
  invalidMember(['contactId'], 'not_found', 'must be a contact of this project');
export const eventOutOfTime = () =>
  invalidMember(
    ['occurredAt'],
    'out_of_range',
    `must be at most ${maxEventAgeDays} days ago and not in the future`,
  );
