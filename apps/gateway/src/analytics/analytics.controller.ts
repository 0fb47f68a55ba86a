import { Controller } from '@nestjs/common';
import { analytics, Optional, Text, Timeseries } from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';
import type { Call } from '../edge/call.js';
import { Get } from '../edge/route.js';
import { windowOf } from './window.js';

/** Days or instants; `windowOf` reads them. */
export class ReportWindow {
  @Text(1, 40) @Optional() from?: string;
  @Text(1, 40) @Optional() to?: string;
}

@Controller()
export class AnalyticsController {
  constructor(
    private readonly bus: Bus,
    private readonly clock: DatabaseClock,
  ) {}

  @Get('analytics/timeseries', {
    summary: 'Count sends and engagement by UTC day',
    scope: 'analytics:read',
    query: ReportWindow,
    legacyQueryNames: { from: 'startDate', to: 'endDate' },
    reply: Timeseries,
  })
  async timeseries({ caller, query }: Call<object, ReportWindow>): Promise<Timeseries> {
    return this.bus.call(analytics.timeseries, caller, windowOf(query, await this.clock.now()));
  }
}
