import { Injectable } from '@nestjs/common';
import type { Timeseries, TimeseriesQuery } from '@posthorn/contracts';
import { DailyCounts } from '../daily-counts/daily-counts.repository.js';
import { fillDays } from './timeseries.js';

@Injectable()
export class ReportsService {
  constructor(private readonly counts: DailyCounts) {}

  async timeseries(projectId: string, { from, to }: TimeseriesQuery): Promise<Timeseries> {
    const window = { from, to };
    return { data: fillDays(window, await this.counts.between(projectId, from, to)), window };
  }
}
