import { isNativeError } from 'node:util/types';
import { Injectable } from '@nestjs/common';
import {
  CustomEvent,
  eventNameReserved,
  anonymousEvent,
  eventOutOfTime,
  isReservedEventName,
  maxEventAgeDays,
  maxEventDays,
  maxEventLeadMinutes,
  maxEventNames,
  TrackedEvent,
  events,
  type EventNames,
  type EventPage,
  type EventStats,
  type IdempotentRequest,
  type ListEvents,
  type RecordEvent,
  type Shape,
  type TimeseriesQuery,
  type TrackEventOnce,
  type ListEventNames,
} from '@posthorn/contracts';
import { DatabaseClock, IdempotencyKeys, newId, pageWithTotal } from '@posthorn/database';
import { Handles, answerEach, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { originOf } from '../contacts/writes/contact-write.js';
import { EventCounts } from './event-counts.read-model.js';
import { EventsRepository } from './events.repository.js';
import { RecordEvents, type EventDraft, type RecordedEvent } from './record-events.js';

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;

@Injectable()
export class EventsService {
  constructor(
    private readonly recording: RecordEvents,
    private readonly events: EventsRepository,
    private readonly counts: EventCounts,
    private readonly keys: IdempotencyKeys,
    private readonly commits: Commits,
    private readonly clock: DatabaseClock,
  ) {}

  @Handles(events.record)
  record(calls: Incoming<RecordEvent>[]): Promise<(CustomEvent | Error)[]> {
    return answerEach(calls, (call) => this.recordOne(call));
  }

  private async recordOne({ caller, body, deadline }: Incoming<RecordEvent>): Promise<CustomEvent> {
    const { name, contactId, email, payload = {}, occurredAt = null, idempotency } = body;
    const { projectId } = caller;
    if (isReservedEventName(name)) throw eventNameReserved('name');
    if ((contactId === undefined) === (email === undefined)) throw anonymousEvent();
    if (occurredAt) await this.refuseOutOfTime(occurredAt);
    const contact = contactId ?? { projectId, email: email!, origin: originOf(caller, 'TRACK') };
    const draft = { projectId, id: newId(), name, payload, occurredAt, deadline, contact };
    return this.once(draft, idempotency, CustomEvent, ({ contactId: id, at }) => ({
      id: draft.id,
      name,
      payload,
      contactId: id,
      emailId: null,
      createdAt: at,
    }));
  }

  @Handles(events.track)
  track(calls: Incoming<TrackEventOnce>[]): Promise<(TrackedEvent | Error)[]> {
    return answerEach(calls, (call) => this.trackOne(call));
  }

  private trackOne({ caller, body, deadline }: Incoming<TrackEventOnce>): Promise<TrackedEvent> {
    const { event: name, email, subscribed, data = {}, idempotency } = body;
    const { projectId } = caller;
    if (isReservedEventName(name)) throw eventNameReserved('event');
    const contact = {
      projectId,
      email,
      subscribed,
      customFields: scalarsOf(data),
      origin: originOf(caller, 'TRACK'),
    };
    const draft = { projectId, id: newId(), name, payload: data, occurredAt: null, deadline, contact };
    return this.once(draft, idempotency, TrackedEvent, ({ contactId, at }) => ({
      contact: contactId,
      event: draft.id,
      timestamp: at,
    }));
  }

  @Handles(events.list)
  list({ caller: { projectId }, body: query }: Incoming<ListEvents>): Promise<EventPage> {
    return pageWithTotal(query, this.events.page(projectId, query), () =>
      this.events.countMatches(projectId, query),
    );
  }

  @Handles(events.names)
  async names({ caller: { projectId } }: Incoming<ListEventNames>): Promise<EventNames> {
    return truncated(await this.counts.names(projectId), maxEventNames);
  }

  @Handles(events.stats)
  async stats({ caller: { projectId }, body: { from, to } }: Incoming<TimeseriesQuery>): Promise<EventStats> {
    return { ...truncated(await this.counts.days(projectId, from, to), maxEventDays), window: { from, to } };
  }

  private async once<T extends object>(
    draft: EventDraft,
    claim: IdempotentRequest | undefined,
    shape: Shape<T>,
    receiptOf: (recorded: RecordedEvent) => T,
  ): Promise<T> {
    if (!claim) return receiptOf(await this.recording.submit(draft));
    const { projectId, deadline } = draft;
    const finished = await this.keys.receipt(projectId, claim, shape);
    if (finished) return finished;
    return this.commits.before(deadline, () =>
      this.keys.once(projectId, claim, shape, async () => {
        const [recorded] = await this.recording.record([{ ...draft, deadline: null }]);
        if (isNativeError(recorded)) throw recorded;
        return receiptOf(recorded!);
      }),
    );
  }

  private async refuseOutOfTime(occurredAt: Date): Promise<void> {
    const age = (await this.clock.now()).getTime() - occurredAt.getTime();
    if (age > maxEventAgeDays * dayMs || age < -maxEventLeadMinutes * minuteMs) throw eventOutOfTime();
  }
}

const truncated = <Row>(rows: Row[], limit: number): { data: Row[]; truncated?: true } =>
  rows.length > limit ? { data: rows.slice(0, limit), truncated: true } : { data: rows };

/** The values that become custom fields of the contact (docs/api-decisions.md §5). */
function scalarsOf(data: Record<string, unknown>): Record<string, unknown> | undefined {
  const scalars = Object.entries(data).filter(([, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value),
  );
  return scalars.length > 0 ? Object.fromEntries(scalars) : undefined;
}
