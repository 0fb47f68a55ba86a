import {
  Count,
  invalid,
  JoinFields,
  maxTopCampaigns,
  Optional,
  parseDay,
  parseInstant,
  Text,
  type InvalidMember,
  type TimeseriesQuery,
} from '@posthorn/contracts';

const dayMs = 86_400_000;
const defaultDays = 30;
const usualDays = 90;

export class ReportWindow {
  @Text(1, 40) @Optional() from?: string;
  @Text(1, 40) @Optional() to?: string;
}

class TopLimit {
  @Count({ min: 1, max: maxTopCampaigns }) @Optional() limit?: number;
}

export class TopWindow extends JoinFields(ReportWindow, TopLimit) {}

/** A bare date covers its whole UTC day, so a range of 90 dates has 90 entries (docs/api-decisions.md §10). */
export function windowOf({ from, to }: ReportWindow, now: Date, maxDays = usualDays): TimeseriesQuery {
  const start = from === undefined ? undefined : readEdge(from, 0);
  const end = to === undefined ? now : readEdge(to, dayMs - 1);
  const failures = [
    start === null ? unreadable('from') : null,
    end === null ? unreadable('to') : null,
  ].filter((failure) => failure !== null);
  if (failures.length > 0) throw invalid(failures);
  const last = end!.getTime();
  const first = start?.getTime() ?? startOfDay(last) - (defaultDays - 1) * dayMs;
  if (first > last)
    throw invalid([
      { path: ['from'], code: 'out_of_range', message: 'must not be after the end of the range' },
    ]);
  return { from: new Date(Math.max(first, startOfDay(last) - (maxDays - 1) * dayMs)), to: new Date(last) };
}

function readEdge(text: string, dayOffset: number): Date | null {
  const day = parseDay(text);
  return day ? new Date(day.getTime() + dayOffset) : parseInstant(text);
}

const startOfDay = (time: number): number => time - (time % dayMs);

const unreadable = (name: string): InvalidMember => ({
  path: [name],
  code: 'invalid_format',
  message: 'must be a date, such as 2026-01-31, or an ISO 8601 date-time with an offset',
});
