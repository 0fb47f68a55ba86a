import { Injectable } from '@nestjs/common';
import {
  campaignRecipients,
  emailReports,
  executions,
  type Caller,
  type CampaignInsight,
  type WorkflowInsight,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';

/** What a service counts for itself, beside what analytics has counted of the mail. */
@Injectable()
export class Insights {
  constructor(private readonly bus: Bus) {}

  async ofCampaign(caller: Caller, id: string): Promise<CampaignInsight> {
    const [report, counted] = await Promise.all([
      this.bus.call(campaignRecipients.stats, caller, { id }),
      this.bus.call(emailReports.ofCampaign, caller, { id }),
    ]);
    const { totalRecipients, skipped, failed, sent, delivered, opened, clicked, ...others } = report;
    const { bounced, complained, unsubscribed, variants, winner, decidedBy } = others;
    const { totals, hours, links, destinations } = counted;
    return {
      id,
      funnel: {
        ...{ totalRecipients, skipped, failed, sent, delivered, opened, clicked },
        ...{ bounced, complained, unsubscribed },
      },
      mail: totals,
      ...{ hours, links, destinations },
      ...{ variants, winner, decidedBy },
    };
  }

  async ofWorkflow(caller: Caller, id: string): Promise<WorkflowInsight> {
    const [stats, counted] = await Promise.all([
      this.bus.call(executions.stats, caller, { id }),
      this.bus.call(emailReports.ofWorkflow, caller, { id }),
    ]);
    const mailOf = new Map(counted.steps.map(({ key, previous: _, ...mail }) => [key, mail]));
    const { COMPLETED = 0, EXITED = 0 } = stats.executions;
    return {
      id,
      entered: Object.values(stats.executions).reduce((sum, count) => sum + count, 0),
      completed: COMPLETED + EXITED,
      executions: stats.executions,
      steps: stats.steps.map((step) => ({ ...step, mail: mailOf.get(step.stepId) ?? null })),
      mail: counted.totals,
    };
  }
}
