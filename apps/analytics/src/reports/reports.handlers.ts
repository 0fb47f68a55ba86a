import { Controller } from '@nestjs/common';
import { analytics, type Timeseries, type TimeseriesQuery } from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { ReportsService } from './reports.service.js';

@Controller()
export class ReportsHandlers {
  constructor(private readonly reports: ReportsService) {}

  @Handles(analytics.timeseries)
  timeseries({ caller, body }: Incoming<TimeseriesQuery>): Promise<Timeseries> {
    return this.reports.timeseries(caller.projectId, body);
  }
}
