import { Injectable } from '@nestjs/common';
import {
  emailNotFound,
  engagement,
  type EmailLinks,
  type RecordedEngagement,
  type RecordedUnsubscribe,
  type RecordEngagement,
  type EmailId,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
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
  @Handles(engagement.record)
  async record({ body: { items } }: Incoming<RecordEngagement>): Promise<RecordedEngagement> {
    const recorded = await this.engagements.record(
      items.map((item) => ({ ...item, machine: machineReasonOf(item) })),
    );
    return { recorded };
  }

  @Handles(engagement.unsubscribed)
  async unsubscribed({
    caller: { projectId },
    body: { id: emailId },
  }: Incoming<EmailId>): Promise<RecordedUnsubscribe> {
    return { isNew: await this.engagements.unsubscribed(projectId, emailId) };
  }

  @Handles(engagement.links)
  async linksOf({ caller: { projectId }, body: { id: emailId } }: Incoming<EmailId>): Promise<EmailLinks> {
    if (!(await this.emails.find(projectId, emailId))) throw emailNotFound();
    return { links: await this.engagements.linksOf(projectId, emailId) };
  }
}
