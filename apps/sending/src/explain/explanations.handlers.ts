import { Controller } from '@nestjs/common';
import {
  explanations,
  type AcceptSend,
  type EmailExplanation,
  type EmailId,
  type ExplainRecipient,
  type RecipientExplanation,
  type SendExplanation,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { ExplanationsService } from './explanations.service.js';

@Controller()
export class ExplanationsHandlers {
  constructor(private readonly service: ExplanationsService) {}

  @Handles(explanations.email)
  email({ caller, body }: Incoming<EmailId>): Promise<EmailExplanation> {
    return this.service.email(caller.projectId, body.id);
  }

  @Handles(explanations.send)
  send({ caller, body }: Incoming<AcceptSend>): Promise<SendExplanation> {
    return this.service.send(caller, body);
  }

  @Handles(explanations.recipient)
  recipient({ caller, body }: Incoming<ExplainRecipient>): Promise<RecipientExplanation> {
    return this.service.recipient(caller.projectId, body.email);
  }
}
