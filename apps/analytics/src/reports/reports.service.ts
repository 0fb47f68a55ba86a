import { Injectable } from '@nestjs/common';
import {
  analytics,
  type Timeseries,
  type TimeseriesQuery,
  type AnalyticsWindow,
  type TimeseriesDay,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { DailyCounts } from '../daily-counts/daily-counts.repository.js';

@Injectable()
export class ReportsService {
  constructor(private readonly counts: DailyCounts) {}

  @Handles(analytics.timeseries)
  async timeseries({ caller, body: { from, to } }: Incoming<TimeseriesQuery>): Promise<Timeseries> {
    const window = { from, to };
    return { data: fillDays(window, await this.counts.between(caller.projectId, from, to)), window };
  }
}

const dayMs = 86_400_000;

export function fillDays({ from, to }: AnalyticsWindow, known: TimeseriesDay[]): TimeseriesDay[] {
  const byDate = new Map(known.map((day) => [day.date, day]));
  return datesOf(from, to).map(
    (date) => byDate.get(date) ?? { date, emails: 0, delivered: 0, opens: 0, clicks: 0, bounces: 0 },
  );
}

function datesOf(from: Date, to: Date): string[] {
  const first = Math.floor(from.getTime() / dayMs);
  const last = Math.floor(to.getTime() / dayMs);
  return Array.from({ length: last - first + 1 }, (_, index) =>
    new Date((first + index) * dayMs).toISOString().slice(0, 10),
  );
}
