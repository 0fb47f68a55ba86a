import { Injectable } from '@nestjs/common';
import { analytics, type Timeseries, type TimeseriesQuery } from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { DailyCounts } from '../daily-counts/daily-counts.repository.js';
import { fillDays } from './timeseries.js';

@Injectable()
export class ReportsService {
  constructor(private readonly counts: DailyCounts) {}

  @Handles(analytics.timeseries)
  async timeseries({ caller, body: { from, to } }: Incoming<TimeseriesQuery>): Promise<Timeseries> {
    const window = { from, to };
    return { data: fillDays(window, await this.counts.between(caller.projectId, from, to)), window };
  }
}
