import { Injectable } from '@nestjs/common';
import {
  analytics,
  type Timeseries,
  type TimeseriesQuery,
  type AnalyticsWindow,
  type TimeseriesDay,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { MailCountsRepository, type CountsAt } from '../mail-counts/mail-counts.repository.js';

@Injectable()
export class ReportsService {
  constructor(private readonly counts: MailCountsRepository) {}

  @Handles(analytics.timeseries)
  async timeseries({ caller, body: { from, to } }: Incoming<TimeseriesQuery>): Promise<Timeseries> {
    const window = { from, to };
    const counted = await this.counts.byTime(caller.projectId, { ...window, hourly: false, kind: 'all' });
    return { data: fillDays(window, counted.map(dayOf)), window };
  }
}

const dayMs = 86_400_000;

const dayOf = ({ at, accepted, delivered, opens, clicks, bounced }: CountsAt): TimeseriesDay => ({
  date: at.toISOString().slice(0, 10),
  ...{ emails: accepted, delivered, opens, clicks, bounces: bounced },
});

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
