import { Injectable } from '@nestjs/common';
import {
  maxPersonEmails,
  maxPersonRows,
  personData,
  type GetMailTimes,
  type GetPersonMail,
  type MailEventTime,
  type MailTimes,
  type PersonMail,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { OptOutsRepository } from '../opt-outs/opt-outs.repository.js';
import { SuppressionsRepository } from '../suppressions/suppressions.repository.js';
import { EmailsRepository } from './emails.repository.js';
import { MailHistoryReadModel } from './mail-history.read-model.js';

@Injectable()
export class PersonMailService {
  constructor(
    private readonly emails: EmailsRepository,
    private readonly history: MailHistoryReadModel,
    private readonly suppressions: SuppressionsRepository,
    private readonly optOuts: OptOutsRepository,
  ) {}

  /** Every page repeats the suppression and the opt-out, which are two lookups by key. */
  @Handles(personData.mail)
  async of({ caller: { projectId }, body: { email, after } }: Incoming<GetPersonMail>): Promise<PersonMail> {
    const [page, suppression, optOut] = await Promise.all([
      this.emails.page(projectId, { to: email, limit: maxPersonEmails, after }),
      this.suppressions.find(projectId, email),
      this.optOuts.find(projectId, email),
    ]);
    const { items, ...end } = page;
    const limit = maxPersonEmails + 1;
    const times = await this.history.timesOf(projectId, {
      email,
      emailIds: items.map(({ id }) => id),
      limit,
    });
    const byEmail = Map.groupBy(times, ({ emailId }) => emailId);
    const emails = items.map((row) => {
      const { items: history, next: historyNext } = timesOf(byEmail.get(row.id) ?? [], maxPersonEmails);
      return { ...row, history, historyNext };
    });
    return { emails, suppression, optOut, ...end };
  }

  @Handles(personData.moments)
  async times({
    caller: { projectId },
    body: { email, emailId, after },
  }: Incoming<GetMailTimes>): Promise<MailTimes> {
    return timesOf(
      await this.history.timesOf(projectId, {
        email,
        emailIds: [emailId],
        limit: maxPersonRows + 1,
        after,
      }),
      maxPersonRows,
    );
  }
}

function timesOf(rows: readonly MailEventTime[], most: number): MailTimes {
  const items = rows.slice(0, most);
  const hasMore = rows.length > most;
  return { items, hasMore, next: hasMore ? { at: items.at(-1)!.at, id: items.at(-1)!.id } : null };
}
