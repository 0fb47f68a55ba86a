import { Controller } from '@nestjs/common';
import {
  events,
  type ListEventNames,
  type CustomEvent,
  type EventNames,
  type EventPage,
  type EventStats,
  type ListEvents,
  type RecordEvent,
  type TimeseriesQuery,
  type TrackedEvent,
  type TrackEventOnce,
} from '@posthorn/contracts';
import { answerEach, Handles, type Incoming } from '@posthorn/messaging';
import { EventsService } from './events.service.js';

@Controller()
export class EventsHandlers {
  constructor(private readonly service: EventsService) {}

  @Handles(events.record)
  record(calls: Incoming<RecordEvent>[]): Promise<(CustomEvent | Error)[]> {
    return answerEach(calls, (call) => this.service.record(call));
  }

  @Handles(events.track)
  track(calls: Incoming<TrackEventOnce>[]): Promise<(TrackedEvent | Error)[]> {
    return answerEach(calls, (call) => this.service.track(call));
  }

  @Handles(events.list)
  list({ caller, body }: Incoming<ListEvents>): Promise<EventPage> {
    return this.service.list(caller.projectId, body);
  }

  @Handles(events.names)
  names({ caller }: Incoming<ListEventNames>): Promise<EventNames> {
    return this.service.names(caller.projectId);
  }

  @Handles(events.stats)
  stats({ caller, body }: Incoming<TimeseriesQuery>): Promise<EventStats> {
    return this.service.stats(caller.projectId, body);
  }
}
