import { Controller } from '@nestjs/common';
import {
  analytics,
  campaignAnalytics,
  CampaignInsight,
  campaignNotFound,
  CampaignOverview,
  EmailReport,
  EmailReportOptions,
  EmailReportRow,
  emailReports,
  JoinFields,
  MailNumbers,
  maxReportDays,
  StepStats,
  Timeseries,
  TimeseriesDay,
  TopCampaign,
  TopCampaigns,
  WorkflowInsight,
  workflowNotFound,
} from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';
import type { RouteRequest } from '../routes/route-request.js';
import { Get } from '../routes/route.js';
import type { CsvTable } from '../wire/bodies/csv.js';
import { Insights } from './insights.js';
import { tableOf } from './report-tables.js';
import { ReportWindow, TopWindow, windowOf } from './window.js';

class ReportedEmails extends JoinFields(ReportWindow, EmailReportOptions) {}

const report = {
  scope: 'analytics:read',
  alsoCsv: true,
  legacyQueryNames: { from: 'startDate', to: 'endDate' },
} as const;

@Controller()
export class AnalyticsController {
  constructor(
    private readonly bus: Bus,
    private readonly clock: DatabaseClock,
    private readonly insights: Insights,
  ) {}

  @Get('analytics/timeseries', {
    ...report,
    summary: 'Count e-mails and engagement per UTC day',
    query: ReportWindow,
    reply: Timeseries,
  })
  async timeseries(request: RouteRequest<object, ReportWindow>): Promise<Timeseries | CsvTable> {
    const { caller, query, wantsCsv } = request;
    const series = await this.bus.call(analytics.timeseries, caller, windowOf(query, await this.clock.now()));
    return wantsCsv ? tableOf(TimeseriesDay, series.data) : series;
  }

  @Get('analytics/campaigns', {
    ...report,
    summary: 'Count campaigns, and average how their recipients engaged',
    query: ReportWindow,
    reply: CampaignOverview,
  })
  async campaigns(request: RouteRequest<object, ReportWindow>): Promise<CampaignOverview | CsvTable> {
    const { caller, query, wantsCsv } = request;
    const window = windowOf(query, await this.clock.now());
    const overview = await this.bus.call(campaignAnalytics.overview, caller, window);
    return wantsCsv ? tableOf(CampaignOverview, [{ ...overview, ...window }], ['from', 'to']) : overview;
  }

  @Get('analytics/top-campaigns', {
    ...report,
    summary: 'Rank sent campaigns by open rate',
    query: TopWindow,
    reply: TopCampaigns,
  })
  async topCampaigns(request: RouteRequest<object, TopWindow>): Promise<TopCampaigns | CsvTable> {
    const { caller, query, wantsCsv } = request;
    const { limit, ...range } = query;
    const window = windowOf(range, await this.clock.now());
    const top = await this.bus.call(campaignAnalytics.top, caller, {
      ...window,
      ...(limit === undefined ? {} : { limit }),
    });
    return wantsCsv ? tableOf(TopCampaign, top.data) : top;
  }

  @Get('analytics/emails', {
    ...report,
    summary: 'Count what became of e-mails by time, sender, recipient or origin, beside the window before',
    query: ReportedEmails,
    reply: EmailReport,
  })
  async emails(request: RouteRequest<object, ReportedEmails>): Promise<EmailReport | CsvTable> {
    const { caller, query, wantsCsv } = request;
    const { from, to, ...options } = query;
    const window = windowOf(
      { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) },
      await this.clock.now(),
      maxReportDays,
    );
    const counted = await this.bus.call(emailReports.report, caller, { ...options, ...window });
    if (!wantsCsv) return counted;
    return tableOf(EmailReportRow, counted.data.map(withPrevious), [
      'key',
      ...previousColumns(query.compare),
    ]);
  }

  @Get('analytics/campaigns/:id', {
    ...report,
    summary: 'Show how a campaign did: its funnel, and its mail by hour, link, destination and variant',
    legacyQueryNames: {},
    reply: CampaignInsight,
    missing: campaignNotFound,
  })
  async campaign({ caller, params, wantsCsv }: RouteRequest): Promise<CampaignInsight | CsvTable> {
    const insight = await this.insights.ofCampaign(caller, params['id']!);
    return wantsCsv ? tableOf(EmailReportRow, sectionsOf(insight), ['section', 'key']) : insight;
  }

  @Get('analytics/workflows/:id', {
    ...report,
    summary: 'Show how a workflow did: its executions, its steps and what became of their mail',
    legacyQueryNames: {},
    reply: WorkflowInsight,
    missing: workflowNotFound,
  })
  async workflow({ caller, params, wantsCsv }: RouteRequest): Promise<WorkflowInsight | CsvTable> {
    const insight = await this.insights.ofWorkflow(caller, params['id']!);
    return wantsCsv
      ? tableOf(
          StepWithMail,
          insight.steps.map(({ mail, ...step }) => ({ ...mail, ...step })),
          [],
        )
      : insight;
  }
}

const compared = ['sent', 'delivered', 'bounced', 'complained', 'opened', 'clicked'] as const;
const previousColumns = (compare: string | undefined): string[] =>
  compare ? compared.map((name) => `previous_${name}`) : [];

const withPrevious = (row: EmailReportRow): object => ({
  ...row,
  ...Object.fromEntries(compared.map((name) => [`previous_${name}`, row.previous?.[name]])),
});

class StepWithMail extends JoinFields(StepStats, MailNumbers) {}

const sectionsOf = ({ mail, hours, links, destinations }: CampaignInsight): object[] => [
  { section: 'total', key: '', ...mail },
  ...hours.map((row) => ({ section: 'hour', ...row })),
  ...links.map((row) => ({ section: 'link', ...row })),
  ...destinations.map((row) => ({ section: 'destination', ...row })),
];
