import { Controller } from '@nestjs/common';
import { recipients, type GetSuppressed, type SuppressedRecipients } from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { SuppressedRecipientsReadModel } from './suppressed-recipients.read-model.js';

@Controller()
export class RecipientsHandlers {
  constructor(private readonly suppressed: SuppressedRecipientsReadModel) {}

  @Handles(recipients.suppressed)
  suppressedOf(calls: Incoming<GetSuppressed>[]): Promise<SuppressedRecipients[]> {
    return this.suppressed.among(
      calls.map(({ caller, body }) => ({ projectId: caller.projectId, emails: body.emails })),
    );
  }
}
