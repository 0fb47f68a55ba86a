import { Controller } from '@nestjs/common';
import { recipients, type AskSuppressed, type SuppressedRecipients } from '@posthorn/contracts';
import { Answers, type Incoming } from '@posthorn/messaging';
import { SuppressedRecipientsReadModel } from './suppressed-recipients.read-model.js';

@Controller()
export class RecipientsHandlers {
  constructor(private readonly suppressed: SuppressedRecipientsReadModel) {}

  @Answers(recipients.suppressed)
  suppressedOf(calls: Incoming<AskSuppressed>[]): Promise<SuppressedRecipients[]> {
    return this.suppressed.among(calls.map(({ caller, body }) => ({ projectId: caller.projectId, emails: body.emails })));
  }
}
