import { Injectable } from '@nestjs/common';
import {
  emailReports,
  maxReportHours,
  maxReportRows,
  type AnalyticsWindow,
  type CampaignMailCounts,
  type EmailReport,
  type EmailReportRow,
  type GetEmailReport,
  type MailCountsOf,
  type WorkflowMailCounts,
} from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import {
  MailCountsRepository,
  type CountRange,
  type FullCounts,
} from '../mail-counts/mail-counts.repository.js';
import { noCounts, numbersOf, sumOf } from './numbers.js';
import { sourceOf } from './report-sources.js';

const defaultRows = 100;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const beginning = new Date(0);

type KeyedCounts = FullCounts & { key: string };

/** Answered from the counters alone, whatever the number of e-mails. */
@Injectable()
export class EmailReportsService {
  constructor(
    private readonly counts: MailCountsRepository,
    private readonly clock: DatabaseClock,
  ) {}

  @Handles(emailReports.report)
  async report({ caller, body }: Incoming<GetEmailReport>): Promise<EmailReport> {
    const { groupBy = 'day', compare, limit = defaultRows, from, to, ...filter } = body;
    const range = { ...sourceOf(groupBy, filter), hourly: groupBy === 'hour' };
    const window = range.hourly ? lastHours({ from, to }) : { from, to };
    const isTime = groupBy === 'day' || groupBy === 'hour';
    const read = (within: AnalyticsWindow) =>
      isTime
        ? this.byTime(caller.projectId, { ...range, ...within })
        : this.byKey(caller.projectId, { ...range, ...within });
    const earlier = compare ? windowBefore(window, range.hourly) : null;
    const [rows, before] = await Promise.all([read(window), earlier ? read(earlier) : null]);
    const previousOf = before && (isTime ? byPosition(before) : byKeyOf(before));
    return {
      data: (isTime ? rows : rows.slice(0, limit)).map((row, index) =>
        rowOf(row, previousOf && previousOf(row, index)),
      ),
      totals: numbersOf(sumOf(rows)),
      previous: before && { window: earlier!, totals: numbersOf(sumOf(before)) },
      window,
    };
  }

  @Handles(emailReports.ofCampaign)
  async ofCampaign({
    caller: { projectId },
    body: { id },
  }: Incoming<MailCountsOf>): Promise<CampaignMailCounts> {
    const to = await this.clock.now();
    const ever = { hourly: false, from: beginning, to };
    const [total, hours, links, destinations] = await Promise.all([
      this.counts.total(projectId, { ...ever, kind: 'campaign', key: id }),
      this.counts.byTime(projectId, {
        ...lastHours({ from: beginning, to }),
        hourly: true,
        kind: 'campaign',
        key: id,
      }),
      this.counts.byKey(projectId, { ...ever, kind: 'link', owner: id }, maxReportRows),
      this.counts.byKey(projectId, { ...ever, kind: 'campaign_destination', owner: id }, maxReportRows),
    ]);
    return {
      totals: numbersOf(total),
      hours: hours.map(({ at, ...counts }) => rowOf({ ...counts, key: at.toISOString() }, null)),
      links: links.map((row) => rowOf(named(row), null)),
      destinations: destinations.map((row) => rowOf(row, null)),
    };
  }

  @Handles(emailReports.ofWorkflow)
  async ofWorkflow({
    caller: { projectId },
    body: { id },
  }: Incoming<MailCountsOf>): Promise<WorkflowMailCounts> {
    const ever = { hourly: false, from: beginning, to: await this.clock.now() };
    const [total, steps] = await Promise.all([
      this.counts.total(projectId, { ...ever, kind: 'workflow', key: id }),
      this.counts.byKey(projectId, { ...ever, kind: 'step', owner: id }, maxReportRows),
    ]);
    return { totals: numbersOf(total), steps: steps.map((row) => rowOf(row, null)) };
  }

  private async byTime(projectId: string, range: CountRange): Promise<KeyedCounts[]> {
    const found = await this.counts.byTime(projectId, range);
    const length = range.hourly ? hourMs : dayMs;
    const known = new Map(found.map(({ at, ...counts }) => [at.getTime(), counts]));
    return timesOf(range, length).map((time) => ({
      ...(known.get(time) ?? noCounts),
      key: range.hourly ? new Date(time).toISOString() : new Date(time).toISOString().slice(0, 10),
    }));
  }

  private async byKey(projectId: string, range: CountRange): Promise<KeyedCounts[]> {
    const rows = await this.counts.byKey(projectId, range, mostKeys);
    return rows.map(named);
  }
}

/** More than are shown, for totals and for the comparison. */
const mostKeys = 100_000;

const named = (row: KeyedCounts): KeyedCounts => ({ ...row, key: row.key || 'other' });

const rowOf = ({ key, ...counts }: KeyedCounts, previous: FullCounts | null): EmailReportRow => ({
  key,
  ...numbersOf(counts),
  previous: previous && numbersOf(previous),
});

const byPosition =
  (before: readonly KeyedCounts[]) =>
  (_: KeyedCounts, index: number): FullCounts =>
    before[index] ?? noCounts;

function byKeyOf(before: readonly KeyedCounts[]): (row: KeyedCounts) => FullCounts {
  const known = new Map(before.map((row) => [row.key, row]));
  return ({ key }) => known.get(key) ?? noCounts;
}

/** Hours are kept for 30 days. */
const lastHours = ({ from, to }: AnalyticsWindow): AnalyticsWindow => ({
  from: new Date(Math.max(from.getTime(), startOf(to, hourMs) - (maxReportHours - 1) * hourMs)),
  to,
});

/** As many whole days or hours as the window touches, so that their rows stand beside each other. */
export function windowBefore({ from, to }: AnalyticsWindow, hourly: boolean): AnalyticsWindow {
  const length = hourly ? hourMs : dayMs;
  const span = startOf(to, length) - startOf(from, length) + length;
  return { from: new Date(from.getTime() - span), to: new Date(to.getTime() - span) };
}

function timesOf({ from, to }: AnalyticsWindow, length: number): number[] {
  const first = startOf(from, length);
  const count = (startOf(to, length) - first) / length + 1;
  return Array.from({ length: count }, (_, index) => first + index * length);
}

const startOf = (instant: Date, length: number): number => instant.getTime() - (instant.getTime() % length);
