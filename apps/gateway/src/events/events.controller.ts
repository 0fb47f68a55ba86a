import { Controller } from '@nestjs/common';
import {
  CreateEvent,
  CustomEvent,
  EventQuery,
  EventNames,
  eventContactUnknown,
  eventNameReserved,
  events,
  EventStats,
  keyInFlight,
  keyReused,
  TrackEvent,
  TrackedEvent,
  type EventPage,
} from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';
import { ReportWindow, windowOf } from '../analytics/window.js';
import type { RouteRequest } from '../edge/routes/route-request.js';
import { Get, Post } from '../edge/routes/route.js';

@Controller()
export class EventsController {
  constructor(
    private readonly bus: Bus,
    private readonly clock: DatabaseClock,
  ) {}

  @Post('events', {
    summary: 'Record an event for a contact',
    scope: 'events:write',
    body: CreateEvent,
    reply: CustomEvent,
    success: 'created',
    idempotent: true,
    errors: [() => eventNameReserved('name'), eventContactUnknown, keyInFlight, keyReused],
  })
  record({ caller, body, idempotency }: RouteRequest<CreateEvent>): Promise<CustomEvent> {
    return this.bus.call(events.record, caller, { ...body, idempotency });
  }

  @Post('track', {
    summary: 'Record an event, and create or update its contact',
    scope: 'events:write',
    surfaces: ['legacy'],
    body: TrackEvent,
    reply: TrackedEvent,
    idempotent: true,
    errors: [() => eventNameReserved('event'), keyInFlight, keyReused],
  })
  track({ caller, body, idempotency }: RouteRequest<TrackEvent>): Promise<TrackedEvent> {
    return this.bus.call(events.track, caller, { ...body, idempotency });
  }

  @Get('events', {
    summary: 'List events, newest first',
    scope: 'events:read',
    query: EventQuery,
    listed: 'items',
    reply: CustomEvent,
  })
  list({ caller, query, listPage }: RouteRequest<object, EventQuery>): Promise<EventPage> {
    return this.bus.call(events.list, caller, { ...query, ...listPage });
  }

  @Get('events/names', {
    summary: 'List event names, most frequent first',
    scope: 'events:read',
    reply: EventNames,
  })
  names({ caller }: RouteRequest): Promise<EventNames> {
    return this.bus.call(events.names, caller, {});
  }

  @Get('events/stats', {
    summary: 'Count events per name and UTC day',
    scope: 'events:read',
    query: ReportWindow,
    legacyQueryNames: { from: 'startDate', to: 'endDate' },
    reply: EventStats,
  })
  async stats({ caller, query }: RouteRequest<object, ReportWindow>): Promise<EventStats> {
    return this.bus.call(events.stats, caller, windowOf(query, await this.clock.now()));
  }
}
