import { Controller } from '@nestjs/common';
import { analytics, Timeseries } from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';
import type { RouteRequest } from '../edge/routes/route-request.js';
import { Get } from '../edge/routes/route.js';
import { ReportWindow, windowOf } from './window.js';

@Controller()
export class AnalyticsController {
  constructor(
    private readonly bus: Bus,
    private readonly clock: DatabaseClock,
  ) {}

  @Get('analytics/timeseries', {
    summary: 'Count e-mails and engagement per UTC day',
    scope: 'analytics:read',
    query: ReportWindow,
    legacyQueryNames: { from: 'startDate', to: 'endDate' },
    reply: Timeseries,
  })
  async timeseries({ caller, query }: RouteRequest<object, ReportWindow>): Promise<Timeseries> {
    return this.bus.call(analytics.timeseries, caller, windowOf(query, await this.clock.now()));
  }
}
