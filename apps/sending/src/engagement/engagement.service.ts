import { Injectable } from '@nestjs/common';
import {
  emailNotFound,
  type EmailLinks,
  type RecordedEngagement,
  type RecordedUnsubscribe,
  type RecordEngagement,
} from '@posthorn/contracts';
import { EmailsRepository } from '../emails/emails.repository.js';
import { EngagementsRepository } from './engagements.repository.js';
import { machineReasonOf } from './machine-traffic.js';

@Injectable()
export class EngagementService {
  constructor(
    private readonly engagements: EngagementsRepository,
    private readonly emails: EmailsRepository,
  ) {}

  /** The ids of the events deduplicate retries of the caller. */
  async record({ items }: RecordEngagement): Promise<RecordedEngagement> {
    const recorded = await this.engagements.record(
      items.map((item) => ({ ...item, machine: machineReasonOf(item) })),
    );
    return { recorded };
  }

  async unsubscribed(projectId: string, emailId: string): Promise<RecordedUnsubscribe> {
    return { isNew: await this.engagements.unsubscribed(projectId, emailId) };
  }

  async linksOf(projectId: string, emailId: string): Promise<EmailLinks> {
    if (!(await this.emails.find(projectId, emailId))) throw emailNotFound();
    return { links: await this.engagements.linksOf(projectId, emailId) };
  }
}
