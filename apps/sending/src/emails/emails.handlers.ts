import { Controller } from '@nestjs/common';
import {
  emails,
  mailHistory,
  type AcceptBatch,
  type AcceptedBatch,
  type AcceptSend,
  type AcceptedEmails,
  type GetMailHistory,
  type CheckedSend,
  type CheckSend,
  type Email,
  type EmailId,
  type EmailPage,
  type EmailWithEvents,
  type ListEmails,
  type MailHistory,
  type SettleSend,
  type SentContent,
  type SettledSend,
} from '@posthorn/contracts';
import { answerEach, Handles, type Incoming } from '@posthorn/messaging';
import { AcceptBatchService } from '../accepting/accept-batch.js';
import { AcceptEmailsService } from '../accepting/accept-emails.js';
import { SettleSendService } from '../accepting/settle-send.js';
import { EmailsService } from './emails.service.js';
import { MailHistoryReadModel } from './mail-history.read-model.js';
import { SentContents } from './sent-contents.js';

@Controller()
export class EmailsHandlers {
  constructor(
    private readonly accepts: AcceptEmailsService,
    private readonly settles: SettleSendService,
    private readonly batches: AcceptBatchService,
    private readonly service: EmailsService,
    private readonly contents: SentContents,
    private readonly history: MailHistoryReadModel,
  ) {}

  @Handles(emails.accept)
  accept(calls: Incoming<AcceptSend>[]): Promise<(AcceptedEmails | Error)[]> {
    return answerEach(calls, (call) => this.accepts.accept(call));
  }

  @Handles(emails.acceptBatch)
  acceptBatch(call: Incoming<AcceptBatch>): Promise<AcceptedBatch> {
    return this.batches.accept(call);
  }

  @Handles(emails.check)
  check({ caller, body }: Incoming<CheckSend>): Promise<CheckedSend> {
    return this.accepts.check(caller, body);
  }

  @Handles(emails.settle)
  settle({ caller, body }: Incoming<SettleSend>): Promise<SettledSend> {
    return this.settles.settle(
      caller.projectId,
      body.recipients.map(({ id }) => id),
    );
  }

  @Handles(emails.list)
  list({ caller, body }: Incoming<ListEmails>): Promise<EmailPage> {
    return this.service.list(caller.projectId, body);
  }

  @Handles(emails.get)
  get({ caller, body }: Incoming<EmailId>): Promise<EmailWithEvents> {
    return this.service.get(caller.projectId, body.id);
  }

  @Handles(emails.content)
  content({ caller, body }: Incoming<EmailId>): Promise<SentContent> {
    return this.contents.of(caller.projectId, body.id);
  }

  @Handles(mailHistory.page)
  async historyOf({ caller, body }: Incoming<GetMailHistory>): Promise<MailHistory> {
    return { items: await this.history.page(caller.projectId, body) };
  }

  @Handles(emails.unschedule)
  unschedule({ caller, body }: Incoming<EmailId>): Promise<EmailId> {
    return this.service.unschedule(caller.projectId, body.id);
  }

  @Handles(emails.cancel)
  cancel({ caller, body }: Incoming<EmailId>): Promise<Email> {
    return this.service.cancel(caller.projectId, body.id);
  }
}
