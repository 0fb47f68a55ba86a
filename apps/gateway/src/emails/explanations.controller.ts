import { Controller } from '@nestjs/common';
import {
  explanations,
  SendEmail,
  SendEmails,
  SendExplanation,
  type Caller,
  type EmailContent,
  type Mailbox,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';
import { sendBodyLimit } from '../wire/bodies/body-reader.js';
import type { RouteRequest } from '../routes/route-request.js';
import { Post } from '../routes/route.js';
import { sendErrors } from './send-errors.js';

const explaining = {
  scope: 'emails:read',
  reply: SendExplanation,
  onlyReads: true,
  bodyLimit: sendBodyLimit,
  errors: sendErrors,
} as const;

@Controller()
export class ExplanationsController {
  constructor(private readonly bus: Bus) {}

  @Post('emails/explain', {
    ...explaining,
    summary: 'Explain what would happen to a send, without sending it',
    surfaces: ['v1'],
    body: SendEmail,
  })
  send({ caller, body: { to, ...content } }: RouteRequest<SendEmail>): Promise<SendExplanation> {
    return this.explain(caller, [to], content);
  }

  @Post('emails/explain', {
    ...explaining,
    summary: 'Explain what would happen to a send to each recipient, without sending it',
    surfaces: ['legacy'],
    body: SendEmails,
  })
  sendMany({ caller, body: { to, ...content } }: RouteRequest<SendEmails>): Promise<SendExplanation> {
    return this.explain(caller, to, content);
  }

  private explain(caller: Caller, to: Mailbox[], content: EmailContent): Promise<SendExplanation> {
    const recipients = to.map((mailbox) => ({ id: newId(), to: mailbox }));
    return this.bus.call(explanations.send, caller, { ...content, recipients });
  }
}
