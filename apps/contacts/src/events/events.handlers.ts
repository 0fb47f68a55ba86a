import { Controller } from '@nestjs/common';
import {
  events,
  type AskEventNames,
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
import { answerEach, Answers, type Incoming } from '@posthorn/messaging';
import { EventsService } from './events.service.js';

@Controller()
export class EventsHandlers {
  constructor(private readonly service: EventsService) {}

  @Answers(events.record)
  record(calls: Incoming<RecordEvent>[]): Promise<(CustomEvent | Error)[]> {
    return answerEach(calls, (call) => this.service.record(call));
  }

  @Answers(events.track)
  track(calls: Incoming<TrackEventOnce>[]): Promise<(TrackedEvent | Error)[]> {
    return answerEach(calls, (call) => this.service.track(call));
  }

  @Answers(events.list)
  list({ caller, body }: Incoming<ListEvents>): Promise<EventPage> {
    return this.service.list(caller.projectId, body);
  }

  @Answers(events.names)
  names({ caller }: Incoming<AskEventNames>): Promise<EventNames> {
    return this.service.names(caller.projectId);
  }

  @Answers(events.stats)
  stats({ caller, body }: Incoming<TimeseriesQuery>): Promise<EventStats> {
    return this.service.stats(caller.projectId, body);
  }
}
