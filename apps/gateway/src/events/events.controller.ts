import { Controller } from '@nestjs/common';
import { events, EventStats } from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';
import { ReportWindow, windowOf } from '../analytics/window.js';
import type { RouteRequest } from '../routes/route-request.js';
import { Get } from '../routes/route.js';

@Controller()
export class EventsController {
  constructor(
    private readonly bus: Bus,
    private readonly clock: DatabaseClock,
  ) {}

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
