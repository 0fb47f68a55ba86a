import { Injectable } from '@nestjs/common';
import { maxPersonRows, type PersonMail } from '@posthorn/contracts';
import { OptOutsRepository } from '../opt-outs/opt-outs.repository.js';
import { SuppressionsRepository } from '../suppressions/suppressions.repository.js';
import { EmailsRepository } from './emails.repository.js';
import { MailHistoryReadModel } from './mail-history.read-model.js';

/** What is held of one address, for whoever it belongs to. */
@Injectable()
export class PersonMailService {
  constructor(
    private readonly emails: EmailsRepository,
    private readonly history: MailHistoryReadModel,
    private readonly suppressions: SuppressionsRepository,
    private readonly optOuts: OptOutsRepository,
  ) {}

  async of(projectId: string, email: string): Promise<PersonMail> {
    const [page, happened, suppression, optOut] = await Promise.all([
      this.emails.page(projectId, { to: email, limit: maxPersonRows }),
      this.history.page(projectId, { email, limit: maxPersonRows + 1 }),
      this.suppressions.find(projectId, email),
      this.optOuts.find(projectId, email),
    ]);
    const byEmail = Map.groupBy(happened.slice(0, maxPersonRows), ({ emailId }) => emailId);
    return {
      emails: page.items.map((row) => ({ ...row, history: byEmail.get(row.id) ?? [] })),
      suppression,
      optOut,
      emailsCut: page.hasMore || happened.length > maxPersonRows,
    };
  }
}
