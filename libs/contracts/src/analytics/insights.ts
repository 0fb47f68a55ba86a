import {
  CampaignReport,
  VariantReport,
  winnerDecisions,
  type WinnerDecision,
} from '../campaigns/campaign-recipients.js';
import { Choice, Count, FreeMap, Id, ListOf, Nested, Nullable, Text } from '../schema/fields.js';
import { JoinFields, PickFields } from '../schema/shapes.js';
import { StepStats } from '../workflows/executions.js';
import { EmailReportRow, MailNumbers, maxReportRows } from './email-reports.js';

/** From the audience to those who clicked, by people only: recipients, however often they did it. */
export class CampaignFunnel extends PickFields(CampaignReport, [
  'totalRecipients',
  'skipped',
  'failed',
  'sent',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'complained',
  'unsubscribed',
]) {}

/** The funnel and the variants are exact; what mail and engagement are counted by follows events, usually within a second. */
export class CampaignInsight {
  @Id() id: string;
  @Nested(() => CampaignFunnel) funnel: CampaignFunnel;
  @Nested(() => MailNumbers) mail: MailNumbers;
  /** Those with mail or engagement, of the last 30 days. */
  @ListOf(() => EmailReportRow, 0, maxReportRows) hours: EmailReportRow[];
  /** The most clicked first; beyond the first 1,000 links of a campaign together, as `other`. */
  @ListOf(() => EmailReportRow, 0, maxReportRows) links: EmailReportRow[];
  @ListOf(() => EmailReportRow, 0, maxReportRows) destinations: EmailReportRow[];
  @ListOf(() => VariantReport, 0, 5) variants: VariantReport[];
  @Text(1, 100) @Nullable() winner: string | null;
  @Choice(winnerDecisions) @Nullable() decidedBy: WinnerDecision | null;
}

class MailOfStep {
  /** Null for a step that has sent nothing. */
  @Nested(() => MailNumbers) @Nullable() mail: MailNumbers | null;
}

export class StepInsight extends JoinFields(StepStats, MailOfStep) {}

export class WorkflowInsight {
  @Id() id: string;
  /** Executions that began, and how many of them ended at their last step or at their goal. */
  @Count() entered: number;
  @Count() completed: number;
  /** By status. */
  @FreeMap({ example: { RUNNING: 1, WAITING: 2, COMPLETED: 3, EXITED: 0, FAILED: 0, CANCELLED: 0 } })
  executions: Record<string, number>;
  @ListOf(() => StepInsight, 0, 200) steps: StepInsight[];
  @Nested(() => MailNumbers) mail: MailNumbers;
}
