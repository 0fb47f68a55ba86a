import { Injectable } from '@nestjs/common';
import {
  emailEvents,
  emailNotFound,
  emailNotPending,
  emailNotScheduled,
  emails,
  type Email,
  type EmailId,
  type EmailPage,
  type EmailWithEvents,
  type ListEmails,
} from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { Outbox, Handles, type Incoming } from '@posthorn/messaging';
import { EmailsRepository } from './emails.repository.js';

@Injectable()
export class EmailsService {
  constructor(
    private readonly database: Database,
    private readonly emails: EmailsRepository,
    private readonly outbox: Outbox,
  ) {}

  @Handles(emails.list)
  list({ caller: { projectId }, body: query }: Incoming<ListEmails>): Promise<EmailPage> {
    return this.emails.page(projectId, query);
  }

  @Handles(emails.get)
  async get({ caller: { projectId }, body: { id } }: Incoming<EmailId>): Promise<EmailWithEvents> {
    const email = await this.find(projectId, id);
    return { ...email, events: await this.emails.historyOf(email) };
  }

  @Handles(emails.cancel)
  async cancel({ caller: { projectId }, body: { id } }: Incoming<EmailId>): Promise<Email> {
    return this.cancelPending(projectId, id, { scheduledOnly: false });
  }

  @Handles(emails.unschedule)
  async unschedule({ caller: { projectId }, body: { id } }: Incoming<EmailId>): Promise<EmailId> {
    await this.cancelPending(projectId, id, { scheduledOnly: true });
    return { id };
  }

  private async cancelPending(
    projectId: string,
    id: string,
    { scheduledOnly }: { scheduledOnly: boolean },
  ): Promise<Email> {
    const cancelled = await this.database.transaction(async () => {
      const sourceType = await this.emails.cancel(projectId, id, { scheduledOnly });
      if (!sourceType) return null;
      const email = await this.find(projectId, id);
      const { to, updatedAt: at, campaignId } = email;
      await this.outbox.publish(emailEvents.cancelled, projectId, [
        { emailId: id, to, at, sourceType, ...(campaignId ? { campaignId } : {}) },
      ]);
      return email;
    });
    if (!cancelled) {
      await this.find(projectId, id);
      throw scheduledOnly ? emailNotScheduled() : emailNotPending();
    }
    return cancelled;
  }

  private async find(projectId: string, id: string): Promise<Email> {
    const email = await this.emails.find(projectId, id);
    if (!email) throw emailNotFound();
    return email;
  }
}
