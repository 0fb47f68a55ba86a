import { Injectable } from '@nestjs/common';
import {
  emailFacts,
  emailNotFound,
  emailNotPending,
  type Email,
  type EmailPage,
  type EmailWithEvents,
  type ListEmails,
} from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import { EmailsRepository } from './emails.repository.js';

@Injectable()
export class EmailsService {
  constructor(
    private readonly database: Database,
    private readonly emails: EmailsRepository,
    private readonly outbox: Outbox,
  ) {}

  list(projectId: string, query: ListEmails): Promise<EmailPage> {
    return this.emails.page(projectId, query);
  }

  async get(projectId: string, id: string): Promise<EmailWithEvents> {
    const email = await this.find(projectId, id);
    return { ...email, events: await this.emails.eventsOf(email) };
  }

  async cancel(projectId: string, id: string): Promise<Email> {
    const cancelled = await this.database.transaction(async () => {
      if (!(await this.emails.cancel(projectId, id))) return null;
      const email = await this.find(projectId, id);
      await this.outbox.publish(emailFacts.cancelled, projectId, [
        { emailId: id, to: email.to, at: email.updatedAt, sourceType: 'TRANSACTIONAL' },
      ]);
      return email;
    });
    if (cancelled) {
      this.outbox.ring();
      return cancelled;
    }
    await this.find(projectId, id);
    throw emailNotPending();
  }

  private async find(projectId: string, id: string): Promise<Email> {
    const email = await this.emails.find(projectId, id);
    if (!email) throw emailNotFound();
    return email;
  }
}
